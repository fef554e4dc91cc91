package today_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/console/today"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/internal/audittest"
)

const log = "gateway-1"

// noon is the present of these tests: 12:00 in Argentina.
var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// newSite returns a site with the page over a trail of these records, its clock, and how often the trail
// was opened.
func newSite(t testing.TB, records ...audit.Record) (s *site.Site, now *time.Time) {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := audit.Open(t.Context(), store, log, audittest.Key(t, log), audit.Options{First: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if _, err := w.Append(t.Context(), &records[i]); err != nil {
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
	now = new(time.Time)
	*now = noon
	s = &site.Site{Base: "/consola", Now: func() time.Time { return *now }, Logger: zap.NewNop(), Open: func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{log}}})
	}}
	s.Prepare()
	today.Add(s)
	writers[s] = w
	return s, now
}

// write writes more records into the trail of a site.
func write(t *testing.T, s *site.Site, records ...audit.Record) {
	t.Helper()
	w := writers[s]
	for i := range records {
		if _, err := w.Append(t.Context(), &records[i]); err != nil {
			t.Fatal(err)
		}
	}
}

// writers has the writers of the sites, whose tests run one after another.
var writers = map[*site.Site]*audit.Writer{}

func get(t testing.TB, s *site.Site, path, language string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+path, nil)
	r.Header.Set("Accept-Language", language)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	w.Body = bytes.NewBuffer(piece.ReplaceAll(w.Body.Bytes(), []byte("$1")))
	return w
}

// piece is the element around a number within a text. Tests read the text without it.
var piece = regexp.MustCompile(`<span class="number">([0-9]+-[0-9-]+)</span>`)

// issued is an approved invoice.
func issued(number int64, at time.Time) audit.Record {
	return audit.Record{
		Kind: audit.KindExchange, ID: fmt.Sprint("x", number, at.UnixNano()), Time: at, Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number, Code: "76470000000018", Resultado: "A"}},
		Decision: "forward", Outcome: "approved", Certainty: audit.Answered, Resultado: "A", Environment: audit.EnvironmentProduction,
	}
}

// refused is a request for an invoice, no number for one without, that the gateway refuses.
func refused(id string, number int64, codes ...string) audit.Record {
	r := audit.Record{
		Kind: audit.KindExchange, ID: id, Time: noon.Add(-time.Hour), Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Decision: "refuse", Outcome: "refused", Findings: []audit.Finding{{Code: "10217", Action: "observe"}},
	}
	for _, code := range codes {
		r.Findings = append(r.Findings, audit.Finding{Code: code, Severity: "ERR", Action: "refuse", Text: code + ": as it was found"})
	}
	if number > 0 {
		r.Vouchers = []audit.Voucher{{CbteDesde: number, CbteHasta: number}}
	}
	return r
}

func want(t *testing.T, body string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("no %q in:\n%s", text, body)
		}
	}
}

func TestADayWithoutTroubleIsInOrder(t *testing.T) {
	s, _ := newSite(t, issued(7, noon.Add(-2*time.Hour)), issued(8, noon.Add(-time.Hour)))
	got := get(t, s, "/", "es")
	want(t, got.Body.String(), "✓ Todo en orden.", ">0001-00000008<", "22/11/2026", `"counts":[[0,0,0,0,0,0,0,0,0,0,1,1,0`)
	want(t, get(t, s, "/", "en").Body.String(), "✓ All is well.", "2026-11-22")
}

func TestAnEmptyTrail(t *testing.T) {
	s, _ := newSite(t)
	want(t, get(t, s, "/", "es").Body.String(), "✓ Todo en orden.", "Todavía no hubo intercambios.")
}

// TestWhatNeedsAPersonComesFirst: each kind of trouble, with its way to the exchanges.
func TestWhatNeedsAPersonComesFirst(t *testing.T) {
	open := issued(1, noon.Add(-time.Hour))
	open.Kind, open.ID, open.Outcome, open.Certainty, open.Vouchers = audit.KindIntent, "open", "", audit.Unknown, []audit.Voucher{{CbteDesde: 1, CbteHasta: 1}}
	lost := open
	lost.ID = "lost"
	answer := lost
	answer.Kind, answer.Intent, answer.Outcome = audit.KindOutcome, 1, "unknown"
	settledIntent := open
	settledIntent.ID = "settled"
	settledAnswer := settledIntent
	settledAnswer.Kind, settledAnswer.Intent, settledAnswer.Outcome = audit.KindOutcome, 3, "unknown"
	settlement := settledAnswer
	settlement.Kind, settlement.Intent, settlement.Outcome, settlement.Certainty = audit.KindSettlement, 3, "recovered", audit.Answered
	s, _ := newSite(t, open, lost, answer, settledIntent, settledAnswer, settlement,
		refused("r1", 0, "10048"), refused("r2", 0, "10048"), refused("r3", 0, "10048"), refused("r4", 0, "10016"), refused("r5", 0, "10016"))
	body := get(t, s, "/", "es").Body.String()
	want(t, body, "<strong>3 temas requieren atención.</strong>",
		`<strong class="number">1</strong> <bdi>pedido enviado sin resultado registrado</bdi>`,
		`<strong class="number">1</strong> <bdi>pedido de emisión del que no se sabe`, "/consola/exchange/gateway-1/2",
		`<strong class="number">3</strong> <bdi>pedidos rechazados por lo mismo · 20-11111111-2 · 10048: `)
	if strings.Contains(body, "10016") {
		t.Error("a reason that does not repeat is shown")
	}
}

// TestRefusalsAreCountedByInvoice: an invoice stands under one reason, however many it has and however often
// it was sent, and under none if it was approved later.
func TestRefusalsAreCountedByInvoice(t *testing.T) {
	var records []audit.Record
	for n := range int64(10) {
		codes := []string{"10048"}
		if n%2 == 0 {
			codes = []string{"shape.custom", "10048"}
		}
		records = append(records, refused(fmt.Sprint("r", n), n+1, codes...))
	}
	again := refused("again", 3, "10048")
	again.Time = noon.Add(-time.Minute)
	records = append(records, issued(2, noon.Add(-time.Minute)), again)
	s, _ := newSite(t, records...)
	for language, text := range map[string]string{
		"es": "comprobantes rechazados por lo mismo (en 10 pedidos) · 20-11111111-2 · 10048: ", "en": "invoices refused for the same reason (in 10 requests) · 20-11111111-2 · 10048: ",
	} {
		body := get(t, s, "/", language).Body.String()
		want(t, body, `<strong class="number">9</strong> <bdi>`+text)
		if strings.Contains(body, "shape.custom") || strings.Contains(body, "10217") || strings.Contains(body, "as it was found") {
			t.Errorf("another reason, or other words than the rule's:\n%s", body)
		}
	}
	want(t, get(t, s, "/", "es").Body.String(), "1 tema requiere atención.", "1 comprobante que se rechazó en algún intento está emitido.")
}

// TestALotInPart: what it refuses is counted, and what it approves has its numbers.
func TestALotInPart(t *testing.T) {
	lot := issued(1, noon.Add(-time.Minute))
	lot.Outcome, lot.Resultado = "partial", "P"
	lot.Answer = []byte(`{"FeDetResp":{"FECAEDetResponse":[{"Observaciones":{"Obs":[{"Code":10063,"Msg":"las fechas"}]}}]}}`)
	for n := range int64(3) {
		lot.Vouchers = append(lot.Vouchers, audit.Voucher{CbteDesde: n + 2, CbteHasta: n + 2, Resultado: "R"})
	}
	s, _ := newSite(t, lot)
	want(t, get(t, s, "/", "es").Body.String(), `<strong class="number">3</strong> <bdi>comprobantes rechazados por lo mismo · 20-11111111-2 · 10063`, ">0001-00000001<")
}

// TestWhatNeedsNobodyIsTold: the built-in service, queries without an answer, and an outage that is over. The
// day is not green: the service did not do all that was asked.
func TestWhatNeedsNobodyIsTold(t *testing.T) {
	tried := issued(1, noon.Add(-time.Minute))
	tried.Upstream = "wsfev1_backend"
	query := audit.Record{Kind: audit.KindExchange, ID: "q", Time: noon.Add(-time.Hour), Operation: "FECompUltimoAutorizado", Decision: "forward", Outcome: "unknown", Certainty: audit.Unknown}
	began := audit.Record{Kind: audit.KindOutage, ID: "o", Time: noon.Add(-2 * time.Hour), Outcome: outage.Began}
	ended := began
	ended.Outcome, ended.Duration = outage.Ended, 90*time.Minute
	s, _ := newSite(t, began, query, ended, tried)
	want(t, get(t, s, "/", "es").Body.String(), "Nada quedó pendiente. En el día hubo:", "1 pedido rechazado o no atendido", "1 caída del servicio", "1 intercambio fue con el servicio de prueba incorporado: no tiene validez fiscal.",
		"1 consulta quedó sin respuesta; una consulta no cambia nada.",
		"El servicio no respondió del 22/11/2026 10:00:00 al 22/11/2026 11:30:00 (1 h 30 min); después volvió a responder.")
}

// TestNumbersInAnyOrder: taking numbers in pieces comes to the same as a look at each number.
func TestNumbersInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		var records []audit.Record
		taken := map[int64]bool{}
		for range 30 {
			first := random.Int64N(60) + 1
			one := issued(first, noon.Add(-time.Hour))
			one.Vouchers[0].CbteHasta = first + random.Int64N(4)
			for n := first; n <= one.Vouchers[0].CbteHasta; n++ {
				taken[n] = true
			}
			records = append(records, one)
		}
		all := slices.Sorted(maps.Keys(taken))
		first, last := all[0], all[len(all)-1]
		missing := last - first + 1 - int64(len(all))
		s, _ := newSite(t, records...)
		body := get(t, s, "/", "es").Body.String()
		gaps := `class="number">0</td>`
		if missing > 0 {
			gaps = fmt.Sprintf(`<span class="outcome open">faltan %d</span>`, missing)
			if missing == 1 {
				gaps = "falta 1<"
			}
		}
		want(t, body, fmt.Sprintf(">0001-%08d<", last), fmt.Sprintf(`class="number">%d</td>`, len(all)), gaps)
	}
}

// TestGapsInTheNumbers: an answer that was repeated is no second number.
func TestGapsInTheNumbers(t *testing.T) {
	lot := issued(12, noon.Add(-time.Minute))
	lot.Vouchers[0].CbteHasta = 20
	s, _ := newSite(t, issued(5, noon.Add(-3*time.Hour)), issued(5, noon.Add(-2*time.Hour)), issued(6, noon.Add(-time.Hour)), lot)
	want(t, get(t, s, "/", "es").Body.String(), ">0001-00000020<", `class="number">11</td>`, `<span class="outcome open">faltan 5</span>`)
}

// TestEachServiceHasItsOwnNumbering: a number that homologación has given hides no gap of production, and fills none.
func TestEachServiceHasItsOwnNumbering(t *testing.T) {
	var all []audit.Record
	for number, service := range map[int64]audit.Environment{5: audit.EnvironmentProduction, 6: audit.EnvironmentTesting, 7: audit.EnvironmentProduction, 90: audit.EnvironmentTesting} {
		one := issued(number, noon.Add(-time.Hour))
		one.Environment = service
		all = append(all, one)
	}
	again := refused("again", 6, "10016") // it is not issued in production
	again.Environment = audit.EnvironmentProduction
	s, _ := newSite(t, append(all, again)...)
	body := get(t, s, "/", "es").Body.String()
	want(t, body, `Factura B <small class="hint">producción</small>`, ">0001-00000007<", "falta 1<",
		`Factura B <small class="hint">homologación, sin validez fiscal</small>`, ">0001-00000090<", "faltan 83<")
	if strings.Contains(body, "en algún intento") {
		t.Errorf("an invoice of homologación makes good a refusal of production:\n%s", body)
	}
}

// TestOtherDaysHaveAnAddress: a day is one in Argentina.
func TestOtherDaysHaveAnAddress(t *testing.T) {
	s, _ := newSite(t, issued(1, time.Date(2026, 11, 22, 2, 59, 0, 0, time.UTC)), issued(2, time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)))
	want(t, get(t, s, "/?day=2026-11-21", "es").Body.String(), `<strong class="number">1</strong> intercambio de clientes`, ">0001-00000001<", "?day=2026-11-20", "?day=2026-11-22")
	for _, bad := range []string{"2026-11-23", "1999-01-01", "x", "2026-13-01"} {
		if got := get(t, s, "/?day="+bad, "es"); got.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, got.Code)
		}
	}
}

// TestReadersShareWhatWasRead for some seconds. Then newer records are read, and no older one again.
func TestReadersShareWhatWasRead(t *testing.T) {
	s, now := newSite(t, issued(1, noon.Add(-time.Hour)))
	opened, read := 0, 0
	open := s.Open
	s.Open = func(ctx context.Context, do func([]site.Source) error) error {
		return open(ctx, func(sources []site.Source) error {
			sources[0].Store = counting{sources[0].Store, &opened, &read}
			return do(sources)
		})
	}
	for range 3 {
		want(t, get(t, s, "/", "es").Body.String(), `<strong class="number">1</strong>`)
	}
	if opened != 1 || read != 1 {
		t.Errorf("the day was read %d times, %d records", opened, read)
	}
	*now = now.Add(11 * time.Second)
	write(t, s, issued(2, noon.Add(-time.Minute)))
	want(t, get(t, s, "/", "es").Body.String(), `<strong class="number">2</strong>`, `class="number">2</td>`, "12:00:11")
	if opened != 2 || read != 2 {
		t.Errorf("the day was read %d times after a while, %d records", opened, read)
	}
}

// counting counts the searches for exchanges, and the records that they find.
type counting struct {
	audit.Store
	n, read *int
}

func (c counting) Search(ctx context.Context, q audit.Query) iter.Seq2[*audit.Record, error] {
	all := c.Store.Search(ctx, q)
	if q.Kind != 0 {
		return all
	}
	*c.n++
	return func(yield func(*audit.Record, error) bool) {
		for r, err := range all {
			if *c.read++; !yield(r, err) {
				return
			}
		}
	}
}

// TestHostileTextsStayText: the name of a code may be anything that a service has answered.
func TestHostileTextsStayText(t *testing.T) {
	code := "<script>alert(1)</script>\u202e"
	s, _ := newSite(t, refused("a", 1, code), refused("b", 2, code), refused("c", 3, code))
	body := get(t, s, "/", "es").Body.String()
	if strings.Contains(body, "<script>alert") || strings.Contains(body, "\u202e") {
		t.Error(body)
	}
}

// stuck holds a reading up until it may go on.
type stuck struct {
	audit.Store
	on <-chan struct{}
}

func (c stuck) Head(ctx context.Context, log string) (audit.Head, error) {
	<-c.on
	return c.Store.Head(ctx, log)
}

// TestADayThatIsReadIsNotGreen: the page shows how much was read so far, and is green once that is all.
func TestADayThatIsReadIsNotGreen(t *testing.T) {
	s, now := newSite(t, issued(1, noon.Add(-3*time.Hour)), issued(2, noon.Add(-2*time.Hour)), issued(3, noon.Add(-time.Hour)))
	s.Prepare()
	today.AddWaiting(s, time.Millisecond)
	on := make(chan struct{})
	open := s.Open
	var opened atomic.Int32
	s.Open = func(ctx context.Context, do func([]site.Source) error) error {
		return open(ctx, func(sources []site.Source) error {
			if opened.Add(1) == 2 { // behind the first page
				sources[0].Store = stuck{sources[0].Store, on}
			}
			return do(sources)
		})
	}
	for language, text := range map[string]string{"es": "Todavía se está leyendo el día.", "en": "The day is still being read."} {
		body := get(t, s, "/", language).Body.String()
		want(t, body, text, `data-whole="false"`)
		if strings.Contains(body, "✓") || strings.Contains(body, "verdict good") {
			t.Error("it is green")
		}
	}
	close(on)
	*now = now.Add(time.Minute)
	for {
		body := get(t, s, "/", "es").Body.String()
		if strings.Contains(body, "✓ Todo en orden.") {
			want(t, body, `<strong class="number">3</strong>`, `data-whole="true"`)
			break
		}
		want(t, body, `data-whole="false"`)
	}
}

// TestAReloadBreaksNoPage: a reading ends with its configuration, and the page shows how much was read.
func TestAReloadBreaksNoPage(t *testing.T) {
	s, _ := newSite(t, issued(1, noon.Add(-time.Hour)))
	ending := make(chan struct{})
	close(ending)
	s.Ending = ending
	got := get(t, s, "/", "es")
	want(t, got.Body.String(), "Todavía se está leyendo el día.", `data-whole="false"`)
	if got.Code != http.StatusOK {
		t.Errorf("status %d", got.Code)
	}
}

// TestGreenIsAClaim: whatever was turned away on the day, the day is not green.
func TestGreenIsAClaim(t *testing.T) {
	for _, word := range []audit.Outcome{"refused", "rejected", "malformed", "inadmissible", "partial", "not_sent", "conflict", "busy", "unsettled", "outage", "unknown", "upstream_error", "unrecorded", "not_issued"} {
		one := issued(2, noon.Add(-time.Hour))
		one.Outcome, one.Vouchers = word, nil
		s, _ := newSite(t, issued(1, noon.Add(-2*time.Hour)), one)
		if body := get(t, s, "/", "es").Body.String(); strings.Contains(body, "✓") {
			t.Errorf("%s: the day is green", word)
		}
	}
	for _, word := range []audit.Outcome{"approved", "observed", "recovered", "answered", "replayed", "cached"} {
		one := issued(2, noon.Add(-time.Hour))
		one.Outcome = word
		s, _ := newSite(t, one)
		if body := get(t, s, "/", "es").Body.String(); !strings.Contains(body, "✓ Todo en orden.") {
			t.Errorf("%s: the day is not green", word)
		}
	}
}

// TestASettledInvoiceCounts, once and with its number, and an answer that is given again does not.
func TestASettledInvoiceCounts(t *testing.T) {
	intent := issued(3, noon.Add(-time.Hour))
	intent.Kind, intent.ID, intent.Outcome, intent.Certainty, intent.Vouchers = audit.KindIntent, "lost", "", audit.Unknown, []audit.Voucher{{CbteDesde: 3, CbteHasta: 3}}
	lost := intent
	lost.Kind, lost.Outcome, lost.Intent = audit.KindOutcome, "unknown", 2
	settlement := issued(3, noon.Add(-time.Minute))
	settlement.Kind, settlement.ID, settlement.Intent, settlement.Outcome = audit.KindSettlement, "lost", 2, "recovered"
	again := issued(9, noon.Add(-time.Second))
	again.Decision, again.Outcome = "replay", "replayed"
	s, _ := newSite(t, issued(1, noon.Add(-2*time.Hour)), issued(2, noon.Add(-90*time.Minute)), intent, lost, settlement, issued(4, noon.Add(-time.Minute)), again)
	body := get(t, s, "/", "es").Body.String()
	want(t, body, ">0001-00000004<", `data-label="Emitidos" class="number">4</td>`, `class="number">0</td>`, "✓ Todo en orden.")
}

// TestPastDaysAreNotToday: their date is their title, and the navigation does not say that they are today.
func TestPastDaysAreNotToday(t *testing.T) {
	s, _ := newSite(t)
	const current = `aria-current="page"`
	for path, title := range map[string]string{"/": "<h1>Hoy <small>22/11/2026", "/?day=2026-11-21": "<h1>21/11/2026 <small>ayer<", "/?day=2026-11-20": "<h1>20/11/2026</h1>"} {
		body := get(t, s, path, "es").Body.String()
		want(t, body, title)
		if strings.Contains(body, current) != (path == "/") {
			t.Errorf("%s: the navigation is wrong", path)
		}
	}
	want(t, get(t, s, "/?day=2026-11-20", "en").Body.String(), "<title>2026-11-20 · Fielato</title>")
}
