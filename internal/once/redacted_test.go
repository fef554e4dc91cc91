package once_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/mask"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// redacting writes intents as a gateway does that keeps some members out of the trail.
func redacting(pointers ...string) func(*audit.Record) {
	return func(r *audit.Record) {
		fields, err := mask.NewFields(pointers)
		if err != nil {
			panic(err)
		}
		r.Request, _ = mask.NewRedactor([]byte("key")).Mask(fields).Body(r.Request, true)
	}
}

// TestRedactedIntentIsComparedByWhatIsLeft: another program's invoice is not taken for
// the one of a crash because a member of that is not kept.
func TestRedactedIntentIsComparedByWhatIsLeft(t *testing.T) {
	for amount, want := range map[string]once.Verdict{"100": once.Recovered, "99": once.Different} {
		inBubble(t, func(t *testing.T, g *gateway) {
			g.keeps = redacting("/FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro", "/FeCAEReq/FeDetReq/FECAEDetRequest/*/DocTipo")
			g.service.issue(request(amount, 1))
			if _, err := g.issue(t.Context(), request("100", 1), crash); err != nil {
				t.Fatal(err)
			}
			g.close()
			*g = *open(t, g.store, g.service)
			g.coordinator.Suspect([]once.OrderingKey{request("100", 1).Key.OrderingKey})
			g.coordinator.Meet(issuer, g.service, once.Policy{})
			if got := <-g.settled; got.verdict != want {
				t.Errorf("%s found: %v, want %v", amount, got.verdict, want)
			}
			audittest.Verify(t, g.store, logName)
		})
	}
}

// TestARecoveredAnswerHasWhatTheTrailDoesNotKeep: clients get it as it stands in the record, from gateways too that
// redact nothing. It said DocNro 0.
func TestARecoveredAnswerHasWhatTheTrailDoesNotKeep(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		const list = "/FeCAEReq/FeDetReq/FECAEDetRequest/*/"
		g.keeps = redacting(list+"Concepto", list+"DocTipo", list+"DocNro")
		sent := request("100", 1)
		invoice := wsfev1.LotOf(sent.Body).Invoice(0)
		invoice.DocTipo, invoice.DocNro = 80, 30000000007
		g.service.issue(sent)
		if _, err := g.issue(t.Context(), sent, crash); err != nil {
			t.Fatal(err)
		}
		g.close()
		*g = *open(t, g.store, g.service)
		g.coordinator.Suspect([]once.OrderingKey{sent.Key.OrderingKey})
		g.coordinator.Meet(issuer, g.service, once.Policy{})
		record, err := g.store.Get(t.Context(), logName, (<-g.settled).index)
		if err != nil {
			t.Fatal(err)
		}
		answer := new(wsfev1.FECAESolicitarAnswer)
		if err := json.Unmarshal(record.Answer, answer); err != nil {
			t.Fatal(err)
		}
		got := answer.FeDetResp.FECAEDetResponse[0]
		if got.Concepto != invoice.Concepto || got.DocTipo != invoice.DocTipo || got.DocNro != invoice.DocNro {
			t.Errorf("%s", record.Answer)
		}
	})
}
