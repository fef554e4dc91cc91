package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// lots is an upstream that takes lots of so many invoices, and says so; it rejects none that it gets.
type lots struct {
	*caddytest.Stub
	largest  atomic.Int64
	invoices atomic.Int64 // of the last lot that it got
}

func newLots(t *testing.T) *lots {
	l := &lots{}
	l.Stub = caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/FECompTotXRequest") {
			caddytest.Answering(200, fmt.Sprintf(`{"RegXReq":%d}`, l.largest.Load()))(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		l.invoices.Store(int64(strings.Count(string(body), `"CbteDesde"`)))
		caddytest.Answering(200, `{"Errors":{"Err":[{"Code":10000,"Msg":"no"}]}}`)(w, r)
	})
	return l
}

// isAnotherCode matches the code of a lot whose CantReg is wrong, and not a time of day with these digits.
var isAnotherCode = regexp.MustCompile(`\b10002\b`)

// TestALotThatIsTooLargeIsRefusedAsTheServiceDoes: with the number of its invoices, although they were not
// all read, and none of it is sent. The service's own figure counts, once a client has asked for it.
func TestALotThatIsTooLargeIsRefusedAsTheServiceDoes(t *testing.T) {
	for _, face := range caddytest.Faces {
		t.Run(face.Name, func(t *testing.T) {
			upstream := newLots(t)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "recover off", "replay off", "cache 1ns")
			sent := func(size int) (passed int64, answer string) {
				upstream.invoices.Store(0)
				got := face.Post(s, "FECAESolicitar", caddytest.LotText(0, 1, size))
				if got.Status != 200 {
					t.Errorf("%d: %d %s", size, got.Status, got.Body)
				}
				return upstream.invoices.Load(), string(got.Body)
			}
			ask := func(figure int64) {
				upstream.largest.Store(figure)
				face.Post(s, "FECompTotXRequest", "{"+caddytest.AuthText+"}")
			}
			refused := func(size, limit int) {
				t.Helper()
				passed, answer := sent(size)
				if want := fmt.Sprintf("El lote tiene %d comprobantes: envíe hasta %d por pedido", size, limit); passed != 0 || !strings.Contains(answer, want) || isAnotherCode.MatchString(answer) {
					t.Errorf("%d sent, answer %.400s; want %s", passed, answer, want)
				}
			}
			passes := func(size int) {
				t.Helper()
				if passed, answer := sent(size); passed != int64(size) {
					t.Errorf("%d of %d sent, answer %.400s", passed, size, answer)
				}
			}
			passes(250)
			refused(251, 250)
			refused(2500, 250)
			ask(0) // as it answers with an error
			refused(251, 250)
			ask(400)
			passes(300)
			refused(401, 400)
			ask(100)
			refused(101, 100)
		})
	}
}

// TestALotIsReadWholeWhereItMayPass: where the rule only observes, or is off, the service gets all of it.
func TestALotIsReadWholeWhereItMayPass(t *testing.T) {
	for _, options := range [][]string{{"mode observe"}, {"rule 10003 observe"}, {"rule 10003 off"}} {
		for _, face := range caddytest.Faces {
			upstream := newLots(t)
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), append(options, "recover off", "replay off")...)
			got := face.Post(s, "FECAESolicitar", caddytest.LotText(0, 1, 300))
			if n := upstream.invoices.Load(); n != 300 {
				t.Errorf("%v, %s: %d invoices sent; %d %.300s", options, face.Name, n, got.Status, got.Body)
			}
		}
	}
	upstream := newLots(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "mode observe", "rule 10003 enforce", "recover off", "replay off")
	s.Post("FECAESolicitar", caddytest.LotText(0, 1, 300))
	if n := upstream.invoices.Load(); n != 0 {
		t.Errorf("enforced by name: %d invoices sent", n)
	}
}
