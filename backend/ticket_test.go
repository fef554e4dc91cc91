package backend_test

import (
	"encoding/base64"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

func TestATestTicketIsReadAsAnAuthoritysAndIsMarked(t *testing.T) {
	cuits := []wsfev1.CUIT{20111111112, 30500010912}
	token, sign, err := wsaa.NewTicket(processed, 12*time.Hour, "wsfe", cuits...)
	if err != nil {
		t.Fatal(err)
	}
	ticket, ok := wsaa.ReadTicket(token)
	want := &wsaa.Ticket{
		Generation: processed.Add(-time.Minute).UTC(), Expiration: processed.Add(12 * time.Hour).UTC(),
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
	if *rewrite {
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

func TestATestTicketIsGoodForItsCuitsAndItsTimeAlone(t *testing.T) {
	at := func(cuit wsfev1.CUIT, later time.Duration) string {
		t.Helper()
		token, sign, err := wsaa.NewTicket(processed, time.Hour, "wsfe", 30500010912, issuer)
		if err != nil {
			t.Fatal(err)
		}
		return backend.StrictTickets(wsfev1.Auth{Token: token, Sign: sign, Cuit: cuit}, processed.Add(later))
	}
	for _, later := range []time.Duration{-time.Minute, 0, time.Hour} {
		if got := at(issuer, later); got != "" {
			t.Errorf("%v later it is refused: %s", later, got)
		}
	}
	for name, got := range map[string]string{
		"before": at(issuer, -2*time.Minute), "after": at(issuer, time.Hour+time.Second), "another issuer": at(20111111112, 0),
	} {
		if got == "" {
			t.Errorf("%s: it is not refused", name)
		}
	}
	token, _, _ := wsaa.NewTicket(processed, time.Hour, "wsfex", issuer)
	if got := backend.StrictTickets(wsfev1.Auth{Token: token, Sign: "s", Cuit: issuer}, processed); got == "" {
		t.Error("one of another service is not refused")
	}
	most := slices.Repeat([]wsfev1.CUIT{issuer}, 10_000)
	if token, _, err := wsaa.NewTicket(processed, time.Hour, "wsfe", most...); err != nil {
		t.Error(err)
	} else if _, ok := wsaa.ReadTicket(token); !ok {
		t.Error("one of 10,000 CUITs is not read")
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
		"20111111113 is no CUIT":                  {good, "wsfe", []wsfev1.CUIT{20111111112, 20111111113}},
		"from a second to ten years, not 0s":      {0, "wsfe", []wsfev1.CUIT{issuer}},
		"from a second to ten years, not -1h0m0s": {-time.Hour, "wsfe", []wsfev1.CUIT{issuer}},
		"from a second to ten years, not 87600h0m1s": {
			10*365*24*time.Hour + time.Second, "wsfe", []wsfev1.CUIT{issuer},
		},
		`"" is not the id`:        {good, "", []wsfev1.CUIT{issuer}},
		`"w\"/><x" is not the id`: {good, `w"/><x`, []wsfev1.CUIT{issuer}},
	} {
		token, sign, err := wsaa.NewTicket(processed, c.life, c.service, c.cuits...)
		if err == nil || !strings.Contains(err.Error(), want) || token != "" || sign != "" {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
