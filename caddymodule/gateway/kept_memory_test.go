package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestOnlyTheKeeperHoldsItsTicket: memory has no more copies after many exchanges than after the
// first ones.
func TestOnlyTheKeeperHoldsItsTicket(t *testing.T) {
	service := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Whole", caddytest.NewMarkers().Token)
		caddytest.Answering(200, caddytest.NewMarkers().In(`{"Errors":{"Err":[{"Code":10000,"Msg":"no vale $T, $S"}]}}`))(w, r)
	})
	speaking := newSOAPService(t)
	for name, next := range map[string]string{
		"JSON": caddytest.ProxyTo(service.URL, "transport http {\n keepalive off\n }"), "SOAP": toSOAP(speaking.URL),
		"built in": caddytest.WithFaults(t, "fault drop {\n operation FECAESolicitar\n nro 2\n count 3\n}"),
	} {
		t.Run(name, func(t *testing.T) {
			login := caddytest.NewLogin(t, keptCuit)
			login.Mark(caddytest.NewMarkers())
			d := startDumped(t, next, append(caddytest.Patiently, "cache 5m", "ticket off", login.Block("cuits "+keptCuit))...)
			caddytest.Within(t, time.Minute, "a ticket", func() bool { return d.alive() > 0 })
			exchanges := func(n int) {
				for range n {
					for _, face := range caddytest.Faces {
						for _, number := range []int{1, 2} {
							if got := postBare(d.Site, face, "FECAESolicitar", caddytest.Invoice(number)); got.Header.Get("Wsfev1-Outcome") == "not_sent" {
								t.Fatalf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
							}
						}
						postBare(d.Site, face, "FECompUltimoAutorizado", caddytest.LastText(0))
						postBare(d.Site, face, "FEParamGetPtosVenta", "{"+caddytest.AuthText+"}")
					}
				}
			}
			exchanges(1)
			// Pools of Go's server and of encoders hold the newest request: no more than one round leaves.
			most := d.alive()
			exchanges(8)
			caddytest.Within(t, time.Minute, "memory as after the first round", func() bool { return d.alive() <= most })
		})
	}
}
