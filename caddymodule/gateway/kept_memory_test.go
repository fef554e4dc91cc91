package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/caddytest"
)

// TestOnlyTheKeeperHoldsItsTicket: memory has no more copies after many exchanges than before the
// first one.
func TestOnlyTheKeeperHoldsItsTicket(t *testing.T) {
	login := caddytest.NewLogin(t, keptCuit)
	login.Mark(caddytest.NewMarkers())
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
			d := startDumped(t, next, append(caddytest.Exactly, "cache 5m", "ticket off", login.Block("cuits "+keptCuit))...)
			caddytest.Within(t, time.Minute, "a ticket", func() bool { return d.Metric("wsfev1_kept_ticket_ready") != "0" && d.alive() > 0 })
			var before int
			caddytest.Within(t, time.Minute, "the memory of a keeper at rest", func() bool {
				last := before
				before = d.alive()
				return before == last
			})
			for range 3 {
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
			caddytest.Within(t, time.Minute, "memory as before", func() bool { return d.alive() <= before })
		})
	}
}
