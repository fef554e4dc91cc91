package gateway_test

import (
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestWhatWasCarriedOutLateIsRecovered: the service had nothing of the request when it was asked,
// and carried it out all the same. Sent again, as the client was told to, it is said to have a
// number that is taken.
func TestWhatWasCarriedOutLateIsRecovered(t *testing.T) {
	var sent atomic.Int64
	var issued atomic.Bool
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "FECAESolicitar":
			if sent.Add(1) == 1 {
				panic(http.ErrAbortHandler)
			}
			taken := strings.NewReplacer(`"Resultado":"A"`, `"Resultado":"R"`, caddytest.CodeOf(1), "", `"CAEFchVto":"20261130"`, `"CAEFchVto":""`).Replace(caddytest.ApprovalOf(1))
			caddytest.Answering(200, strings.TrimSuffix(taken, "}")+`,"Errors":{"Err":[{"Code":10016,"Msg":"x"}]}}`)(w, r)
		case "FECompConsultar":
			if !issued.Load() {
				caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"x"}]}}`)(w, r)
				return
			}
			caddytest.Answering(200, consulted("1"))(w, r)
		default:
			caddytest.Answering(200, `{"RegXReq":250}`)(w, r)
		}
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "not_issued" {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	issued.Store(true)
	other := strings.Replace(caddytest.Invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":30111222`, 1)
	if got := s.Post("FECAESolicitar", other); got.Header.Get("Wsfev1-Outcome") != "rejected" || caddytest.FirstError(t, got) != "10016" {
		t.Errorf("another invoice of that number: %d %v %s", got.Status, got.Header, got.Body)
	}
	for _, outcome := range []string{"recovered", "replayed"} {
		got := s.Post("FECAESolicitar", caddytest.Invoice(1))
		if got.Header.Get("Wsfev1-Outcome") != outcome || got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE") != `"86470000000001"` {
			t.Errorf("the same again: %d %v %s, want it %s", got.Status, got.Header, got.Body, outcome)
		}
	}
}
