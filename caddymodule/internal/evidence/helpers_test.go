package evidence

import (
	"cmp"
	"context"
	"html"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// kept is a store that has these records, each at its index.
type kept struct {
	audit.Store
	records []*audit.Record
}

func (k kept) Get(_ context.Context, _ string, index uint64) (*audit.Record, error) {
	if index >= uint64(len(k.records)) {
		return nil, audit.ErrNotFound
	}
	return k.records[index], nil
}

func (k kept) Search(_ context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	closed := map[uint64]bool{}
	for _, r := range k.records {
		if r.Kind == audit.KindOutcome {
			closed[r.Intent] = true
		}
	}
	return func(yield func(*audit.Record, error) bool) {
		for _, r := range slices.Backward(k.records) {
			var intent *audit.Record
			if r.Kind == audit.KindOutcome {
				intent = k.records[r.Intent]
			}
			if query.Matches(r, intent) && (r.Kind != audit.KindIntent || !closed[r.Index]) && !yield(r, nil) {
				return
			}
		}
	}
}

// noon is when the tests' first exchange begins: 12:00:00 in Argentina.
var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// testRequest asks for Factura B 0001-00000005.
const testRequest = `{"Auth":{"Token":"hmac-sha256:00","Sign":"hmac-sha256:00","Cuit":20111111112},"FeCAEReq":{
"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[{"Concepto":1,"DocTipo":80,"DocNro":30000000007,
"CbteDesde":5,"CbteHasta":5,"CbteFch":"20261121","ImpTotal":1234.56,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":1}]}}}`

// real is the address of a service that is not the built-in one.
const real = "service.example:443"

// intent is the record of testRequest before it is sent.
func intent() *audit.Record {
	return &audit.Record{
		Kind: audit.KindIntent, ID: "x", Operation: "FECAESolicitar", Decision: audit.DecisionForward,
		Certainty: audit.Unknown, Vouchers: []audit.Voucher{{CbteDesde: 5, CbteHasta: 5}}, Request: []byte(testRequest),
	}
}

// result is the outcome of the intent with this index.
func result(of uint64, word audit.Outcome, v audit.Voucher) *audit.Record {
	v.CbteDesde, v.CbteHasta = cmp.Or(v.CbteDesde, 5), cmp.Or(v.CbteHasta, 5)
	return &audit.Record{
		Kind: audit.KindOutcome, ID: "x", Intent: of, Operation: "FECAESolicitar", Decision: audit.DecisionForward,
		Outcome: word, Certainty: audit.Answered, Upstream: real, Resultado: v.Resultado, Vouchers: []audit.Voucher{v},
		Duration: 350 * time.Millisecond, Status: 200,
	}
}

// query is a FECompConsultar for the invoice, a client's or the gateway's own.
func query(decision audit.Decision, word audit.Outcome, v audit.Voucher) *audit.Record {
	v.CbteDesde, v.CbteHasta = 5, 5
	return &audit.Record{
		Kind: audit.KindExchange, ID: "x", Operation: "FECompConsultar", Decision: decision, Outcome: word,
		Certainty: audit.Answered, Upstream: real, Vouchers: []audit.Voucher{v}, Status: 200,
	}
}

// granted is the service's answer for an invoice that it has authorised.
var granted = audit.Voucher{Code: "76470000000018", Expires: "20261202", Resultado: "A"}

// issued is a log with an intent and its approval.
func issued(upstream string) []*audit.Record {
	r := result(0, audit.OutcomeApproved, granted)
	r.Upstream = upstream
	return []*audit.Record{intent(), r}
}

// pageFor writes a bundle about Factura B 0001-00000005 of a log with these records and returns
// its page. A record without a time begins a second after the one before it; an outcome begins
// with its intent.
func pageFor(t *testing.T, records ...*audit.Record) string {
	t.Helper()
	for i, r := range records {
		r.Log, r.Index = "gateway-1", uint64(i)
		r.Cuit, r.PtoVta, r.CbteTipo = 20111111112, cmp.Or(r.PtoVta, 1), cmp.Or(r.CbteTipo, 6)
		if r.Time.IsZero() {
			r.Time = noon.Add(time.Duration(i) * time.Second)
			if r.Kind == audit.KindOutcome {
				r.Time = records[r.Intent].Time
			}
		}
	}
	bundle := &evidenceBundle{
		store: kept{records: records}, made: noon, logs: []evidenceLog{{Log: "gateway-1"}},
		query: audit.Query{Cuit: 20111111112, PtoVta: 1, CbteTipo: cmp.Or(records[0].CbteTipo, 6), Number: 5},
	}
	for _, r := range records {
		if r.Upstream == audit.BuiltInUpstream {
			bundle.logs[0].builtInSince = noon
		}
	}
	return bundle.page(t)
}

// page writes the bundle into a folder and returns its page.
func (b *evidenceBundle) page(t *testing.T) string {
	t.Helper()
	names := []string{"gateway-1"}
	exchanges, err := exchangesAbout(t.Context(), b.store, names, b.query)
	if err != nil {
		t.Fatal(err)
	}
	if b.outages, err = outagesDuring(t.Context(), b.store, names, exchanges); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if b.out, err = newOutput(folder); err != nil {
		t.Fatal(err)
	}
	if err := b.write(t.Context(), exchanges); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// say checks that a page says these texts, in this order.
func say(t *testing.T, page string, texts ...string) {
	t.Helper()
	rest := shown(page)
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Fatalf("the page does not say %q where it should:\n%s", text, shown(page))
		}
		rest = after
	}
}

// sayNot checks that a page says none of these texts.
func sayNot(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(shown(page), text) {
			t.Errorf("the page says %q:\n%s", text, shown(page))
		}
	}
}

var (
	styles = regexp.MustCompile(`(?s)<style>.*?</style>`)
	tags   = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// shown returns the text of a page, folded parts included. Markup is one space.
func shown(page string) string {
	text := html.UnescapeString(tags.ReplaceAllString(styles.ReplaceAllString(page, ""), " "))
	return spaces.ReplaceAllString(text, " ")
}

var foldings = regexp.MustCompile(`</?(details|summary)[^>]*>`)

// unfolded returns the text that a page shows at first: only the summary of each folded part.
func unfolded(page string) string {
	var b strings.Builder
	depth := 0
	for {
		at := foldings.FindStringIndex(page)
		if at == nil {
			return shown(b.String() + page)
		}
		if depth == 0 {
			b.WriteString(page[:at[0]] + " ")
		}
		switch page[at[0] : at[0]+4] {
		case "<det", "</su":
			depth++
		case "<sum", "</de":
			depth--
		}
		page = page[at[1]:]
	}
}
