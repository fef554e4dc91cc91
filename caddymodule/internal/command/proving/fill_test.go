package proving_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const filledIn = `"CondicionIVAReceptorId": 5`

// TestShowPrintsWhatCameAndWhatWasSent, once each, for a request that the gateway has completed; and its
// evidence is verified.
func TestShowPrintsWhatCameAndWhatWasSent(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "fill CondicionIVAReceptorId from default 5")
	lacking := strings.Replace(caddytest.Invoice(1), `"CondicionIVAReceptorId":5,`, "", 1)
	if got := s.Post("FECAESolicitar", lacking); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%d %v\n%s", got.Status, got.Header, got.Body)
	}
	for _, address := range []string{"0", "1"} {
		out := s.Show(address)
		came, sent, _ := strings.Cut(out, "request to the service: application/json (json), ")
		if strings.Contains(came, filledIn) || strings.Count(sent, filledIn) != 1 || !strings.Contains(out, "fill.CondicionIVAReceptorId") ||
			strings.Contains(sent, "request to the service") {
			t.Errorf("%s:\n%s", address, out)
		}
	}
	folder := filepath.Join(t.TempDir(), "factura")
	if err := evidenceFor(s, folder); err != nil {
		t.Fatal(err)
	}
	export := caddytest.Exported(t, "sqlite:"+s.Store)
	key := caddytest.KeyOf(t, export)
	verifiedByBoth(t, key, folder, export)
	forged := forge(t, folder, "service-request.json", `"CondicionIVAReceptorId":5`, `"CondicionIVAReceptorId":1`)
	if said, sound := caddytest.Python(t, key, forged); sound || !strings.Contains(said, "service-request.json") {
		t.Errorf("verify.py: %s", said)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--export", forged, "--key", key); err == nil {
		t.Errorf("%s", out)
	}
}

// TestShowPrintsWhatADeadGatewayMayHaveSent: the intent alone has it.
func TestShowPrintsWhatADeadGatewayMayHaveSent(t *testing.T) {
	s := caddytest.KeptTrail(t, &audit.Record{
		Kind: audit.KindIntent, ID: "lost", Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Certainty: audit.Unknown,
		Request: []byte(`{}`), Service: &audit.Leg{Form: audit.FormJSON, Request: []byte(`{"CondicionIVAReceptorId":5}`), RequestLength: 28},
	})
	if out := s.Show("0"); strings.Count(out, filledIn) != 1 || !strings.Contains(out, "request to the service: ") {
		t.Errorf("%s", out)
	}
}
