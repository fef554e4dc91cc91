package overhttp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/client/overhttp"
	"github.com/fielato/fielato/wsaa/credential"
)

// A program logs in once. Where it needs tickets all the time, a keeper.Keeper has one at hand.
func Example() {
	certificate, err := os.ReadFile("homo.crt")
	if err != nil {
		log.Fatal(err)
	}
	key, err := os.ReadFile("homo.key")
	if err != nil {
		log.Fatal(err)
	}
	c, err := credential.Parse(credential.Source{Certificate: certificate, Key: key})
	if err != nil {
		log.Fatal(err)
	}
	logins := &client.Client{
		URL: wsaa.TestingURL, Credential: c, Clock: time.Now,
		Post: overhttp.Post(&http.Client{Timeout: time.Minute}),
	}
	result, err := logins.Login(context.Background(), "wsfe", 0)
	if failed, ok := errors.AsType[*client.Error](err); ok {
		log.Fatalf("%v: %v", failed.Advice, err)
	}
	fmt.Println("the ticket is valid until", result.Ticket.Expiration)
}
