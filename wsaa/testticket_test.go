package wsaa_test

import (
	"encoding/base64"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

var update = flag.Bool("update", false, "write the golden file anew")

// made is when the tickets of these tests are made.
var made = time.Date(2026, 11, 6, 10, 30, 15, 0, wsfev1.Argentina)

func TestATestTicketIsReadAsAnAuthoritysAndIsMarked(t *testing.T) {
	cuits := []wsfev1.CUIT{20111111112, 30500010912}
	token, sign, err := wsaa.NewTicket(made, 12*time.Hour, "wsfe", cuits...)
	if err != nil {
		t.Fatal(err)
	}
	ticket, ok := wsaa.ReadTicket(token)
	want := &wsaa.Ticket{
		Generation: made.Add(-time.Minute).UTC(), Expiration: made.Add(12 * time.Hour).UTC(),
		Service: "wsfe", Destination: "CN=wsfe, O=AFIP, C=AR", Relations: cuits,
	}
	if !ok || !reflect.DeepEqual(ticket, want) {
		t.Errorf("read as %+v, %v, want %+v", ticket, ok, want)
	}
	document, err := base64.StdEncoding.DecodeString(token.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/ticket.xml"
	if *update {
		if err := os.WriteFile(golden, document, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if expected, err := os.ReadFile(golden); err != nil || string(document) != string(expected) {
		t.Errorf("%v, the document is\n%s", err, document)
	}
	signature, err := base64.StdEncoding.DecodeString(sign.Reveal())
	if err != nil || len(signature) != 128 || !strings.HasPrefix(string(signature), "fielato-test: this is no signature.") {
		t.Errorf("%v, the sign is %q", err, signature)
	}
}

func TestTicketsThatNobodyWouldReadAreNotMade(t *testing.T) {
	const good = time.Hour
	for want, c := range map[string]struct {
		life    time.Duration
		service string
		cuits   []wsfev1.CUIT
	}{
		"needs the CUITs":                         {good, "wsfe", nil},
		"10000 CUITs at most":                     {good, "wsfe", make([]wsfev1.CUIT, 10_001)},
		"20111111113 is not a CUIT":               {good, "wsfe", []wsfev1.CUIT{20111111112, 20111111113}},
		"from a second to ten years, not 0s":      {0, "wsfe", []wsfev1.CUIT{ticketHolder}},
		"from a second to ten years, not -1h0m0s": {-time.Hour, "wsfe", []wsfev1.CUIT{ticketHolder}},
		"from a second to ten years, not 87600h0m1s": {
			10*365*24*time.Hour + time.Second, "wsfe", []wsfev1.CUIT{ticketHolder},
		},
		`"" is not the id`:        {good, "", []wsfev1.CUIT{ticketHolder}},
		`"w\"/><x" is not the id`: {good, `w"/><x`, []wsfev1.CUIT{ticketHolder}},
	} {
		token, sign, err := wsaa.NewTicket(made, c.life, c.service, c.cuits...)
		if err == nil || !strings.Contains(err.Error(), want) || token != "" || sign != "" {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
