package gateway_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// TestTheRulebookHasWhatTheGatewayDecides, and what it has counted.
func TestTheRulebookHasWhatTheGatewayDecides(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, verdictOn("R", 10048)))
	s := caddytest.NewSite(t)
	s.Load(s.Config("mode observe\n rule 10051 enforce\n absolute_tolerance 0.05\n cuits 20-11111111-2", caddytest.ProxyTo(upstream.URL)))
	shelf := rulebook.In(app.Newest())
	if shelf == nil || len(shelf.Books) != 1 {
		t.Fatalf("the shelf has %+v", shelf)
	}
	book := shelf.Books[0]
	rule, _ := rules.RuleByCode(10051)
	if level, origin := book.LevelOf(&rule); level != validate.Enforce || origin != intake.FromRule {
		t.Errorf("10051 is at %s, by %s", level, origin)
	}
	if !book.Observe || book.Contract != validate.ARCA || book.Settings.AbsoluteTolerance.String() != "0.05" || book.Filler != nil || book.Now().IsZero() {
		t.Errorf("%+v", book)
	}
	if !book.Allows(20111111112) || book.Allows(wsfev1.CUIT(30500010912)) {
		t.Error("the book allows other issuers than the gateway")
	}
	before := shelf.Counts(10048)
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":150`, 1))
	after := shelf.Counts(10048)
	if after.Observed != before.Observed+1 || after.Both != before.Both+1 || after.Service != before.Service+1 || after.Refused != before.Refused {
		t.Errorf("counted %+v, then %+v", before, after)
	}
	if none := shelf.Counts(99999); none != (rulebook.Counts{}) {
		t.Errorf("of a code that is none: %+v", none)
	}
}
