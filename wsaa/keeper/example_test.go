package keeper_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/client/overhttp"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// A program keeps the ticket of one certificate in memory. Nodes that share a ticket have a Store in
// common, and a Seal.
func Example() {
	certificate, err := os.ReadFile("computer.p12")
	if err != nil {
		log.Fatal(err)
	}
	c, err := credential.Parse(credential.Source{Certificate: certificate, Passphrase: wsfev1.Secret(os.Getenv("PASSPHRASE"))})
	if err != nil {
		log.Fatal(err)
	}
	logins := &client.Client{URL: wsaa.TestingURL, Credential: c, Post: overhttp.Post(&http.Client{Timeout: time.Minute}), Clock: time.Now}
	k, err := keeper.New(keeper.Config{
		URL: wsaa.TestingURL, Credential: c, Login: logins.Login, CUITs: []wsfev1.CUIT{20111111112}, Store: new(keeper.Memory),
		Observe: func(e keeper.Event) { log.Println(e.Kind, e.Err) },
	})
	if err != nil {
		log.Fatal(err)
	}
	k.Start()
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = k.Close(ctx)
	}()
	ticket, err := k.Ticket(context.Background(), 20111111112)
	if err != nil {
		log.Print(err)
		return
	}
	fmt.Println(ticket.Expiration)
}
