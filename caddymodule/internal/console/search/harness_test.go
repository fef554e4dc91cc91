package search

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
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

// noon is the time of the tests: 12:00:00 in Argentina.
var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// newStore returns an empty store in a file.
func newStore(t testing.TB) audit.Store {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// write appends records to a log.
func write(t testing.TB, store audit.Store, log string, records ...*audit.Record) {
	t.Helper()
	batch := audittest.Seal(t, store, log, records...)
	if err := store.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		r.Log, r.Index = log, batch.First+uint64(i)
	}
}

// invoice returns an exchange about one invoice, so many seconds after noon.
func invoice(cuit wsfev1.CUIT, kind int32, number int64, seconds int) *audit.Record {
	return &audit.Record{
		Kind: audit.KindExchange, ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", number), Time: noon.Add(time.Duration(seconds) * time.Second),
		Operation: "FECAESolicitar", Cuit: cuit, PtoVta: 1, CbteTipo: kind, Decision: "forward", Outcome: "approved",
		Certainty: audit.Answered, Status: 200, Resultado: "A", Node: "node-1", ClientAddress: "192.0.2.7", ClientIdentity: "caja", Upstream: "service:443",
		Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number, Code: fmt.Sprintf("7647%010d", number), Resultado: "A"}},
		Request:  fmt.Appendf(nil, `{"FeCAEReq":{"FeCabReq":{"PtoVta":1},"FeDetReq":{"FECAEDetRequest":[{"DocTipo":80,"DocNro":30000000007,"CbteDesde":%d,"ImpTotal":1234.5,"MonId":"PES"}]}}}`, number),
		Answer:   []byte(`{}`),
	}
}

// newWorld returns the pages about a store.
func newWorld(stores ...audit.Store) *room {
	s := &site.Site{Base: "/consola", Now: func() time.Time { return noon.Add(time.Hour) }, Logger: zap.NewNop()}
	s.Open = func(ctx context.Context, do func([]site.Source) error) error {
		var sources []site.Source
		for _, store := range stores {
			logs, err := store.Logs(ctx)
			if err != nil {
				return err
			}
			sources = append(sources, site.Source{Store: store, Logs: logs})
		}
		return do(sources)
	}
	s.Prepare()
	m := newRoom(s)
	m.add()
	return m
}

// get returns the answer to a request for a path below the base.
func (m *room) get(path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/consola"+path, nil)
	answered := httptest.NewRecorder()
	m.ServeHTTP(answered, r)
	return answered
}

// exchanges returns the answer to a request for a list of exchanges.
func (m *room) exchanges(path string) *httptest.ResponseRecorder { return m.get(asExchanges(path)) }

// asExchanges returns an address with the list of exchanges.
func asExchanges(path string) string {
	if strings.Contains(path, "?") {
		return path + "&list=exchanges"
	}
	return path + "?list=exchanges"
}

// between returns the text between two others, behind the first one.
func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

// rowsOf returns the addresses of the rows in a page.
func rowsOf(page string) (addresses []string) {
	for _, part := range strings.Split(page, `<tr data-record="/consola/exchange/`)[1:] {
		address, _, _ := strings.Cut(part, `"`)
		addresses = append(addresses, address)
	}
	return addresses
}

// linkOf returns the address of the link with this rel in a page, below the base; empty for none.
func linkOf(page, rel string) string {
	before, _, found := strings.Cut(page, `" rel="`+rel+`"`)
	if !found {
		return ""
	}
	address := before[strings.LastIndex(before, `href="`)+len(`href="`):]
	return strings.TrimPrefix(html.UnescapeString(address), "/consola")
}

// wantAll checks that a text has others.
func wantAll(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// wantNone checks that a text has none of others.
func wantNone(t *testing.T, text string, unwanted ...string) {
	t.Helper()
	for _, one := range unwanted {
		if strings.Contains(text, one) {
			t.Errorf("there is %q in\n%s", one, text)
		}
	}
}
