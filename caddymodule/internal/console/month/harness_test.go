package month

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

const log, production, homologation = "gateway-1", "servicios1.afip.gov.ar:443", "wswhomo.afip.gov.ar:443"

var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// issued returns the outcome of an invoice that was authorised on 15 October, with these members beside its number.
// Its request belongs into an intent.
func issued(upstream string, cbteTipo int32, number int64, members string) *audit.Record {
	at := time.Date(2026, 10, 15, 12, 0, 0, 0, time.UTC)
	return &audit.Record{
		Kind: audit.KindOutcome, ID: fmt.Sprint("i", cbteTipo, number), Time: at, Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: cbteTipo,
		Upstream: upstream, Outcome: audit.OutcomeApproved, Certainty: audit.Answered, Resultado: wsfev1.Aprobado, Status: http.StatusOK,
		Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number, Code: fmt.Sprintf("7642%010d", number), Resultado: wsfev1.Aprobado, Expires: "20261025"}},
		Request:  fmt.Appendf(nil, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"CbteDesde":%d,"CbteHasta":%d,"CbteFch":"20261015"%s}]}}}`, number, number, members),
	}
}

// withIntents returns outcomes in the order of a log, each behind its intent; index is where the first one stands.
func withIntents(index uint64, outcomes ...*audit.Record) (all []*audit.Record) {
	for _, outcome := range outcomes {
		intent := *outcome
		intent.Kind, intent.Outcome, intent.Certainty, intent.Resultado = audit.KindIntent, "", audit.Unknown, ""
		intent.Vouchers = []audit.Voucher{{CbteDesde: outcome.Vouchers[0].CbteDesde, CbteHasta: outcome.Vouchers[0].CbteHasta}}
		outcome.Intent, outcome.Request = index, nil
		all, index = append(all, &intent, outcome), index+2
	}
	return all
}

// taxed are the members of an invoice with 21 % of VAT.
const taxed = `,"DocTipo":80,"DocNro":20222222223,"MonId":"PES","MonCotiz":1,"ImpTotal":12345.67,"ImpNeto":10202.21,"ImpIVA":2142.46,"ImpTrib":1.00,"Iva":{"AlicIva":[{"Id":5,"BaseImp":10202.21,"Importe":2142.46}]}`

// world is a site with one trail.
type world struct {
	*room
	t     testing.TB
	store audit.Store
}

func newWorld(t *testing.T, records ...*audit.Record) *world {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := audit.Open(t.Context(), store, log, audittest.Key(t, log), audit.Options{First: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range withIntents(0, records...) {
		if _, err := w.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, err := range []error{w.Close(), store.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return &world{newRoom(siteOf(store)), t, store}
}

func siteOf(store audit.Store) *site.Site {
	s := &site.Site{Base: "/consola", Now: func() time.Time { return noon }, Logger: zap.NewNop(), Open: func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{log}}})
	}}
	s.Prepare()
	return s
}

// get asks for an address. The pages are added with the first one.
func (w *world) get(path, language string) *httptest.ResponseRecorder {
	w.t.Helper()
	if len(w.Routes()) == 1 {
		w.add()
	}
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, w.Base+path, nil)
	r.Header.Set("Accept-Language", language)
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer
}

var tags = regexp.MustCompile(`<[^>]*>`)

// textOf returns what stands on a page behind the name of the month, a line for each that is not empty.
func textOf(body string) string {
	_, body, _ = strings.Cut(body, "<h2>")
	body, _, _ = strings.Cut(body, `<p class="hint">`)
	var lines []string
	for line := range strings.Lines(strings.NewReplacer("</td>\n", " | ", "</th>", " | ").Replace(body)) {
		if line = strings.TrimSpace(tags.ReplaceAllString(line, "")); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
