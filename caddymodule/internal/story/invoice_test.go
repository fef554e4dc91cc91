package story_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
)

// granted is the service's answer for a voucher that it has authorised.
var granted = audit.Voucher{CbteDesde: 5, CbteHasta: 5, Code: "76470000000018", Expires: "20261202", Resultado: "A"}

// invoice is the story of number 5, from its records.
func invoice(records ...*audit.Record) *story.Invoice {
	i := &story.Invoice{Query: audit.Query{Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Number: 5}}
	for n, r := range records {
		r.Index = uint64(n)
		if r.Kind != audit.KindIntent || n == len(records)-1 {
			i.Entries = append(i.Entries, story.EntryOf(r, 5))
		}
	}
	story.SortEntries(i.Entries)
	return i
}

// lost are an intent and an outcome that nobody knows.
func lost() []*audit.Record {
	return []*audit.Record{record(audit.KindIntent, 0, "", audit.Unknown), record(audit.KindOutcome, 1, audit.OutcomeUnknown, audit.Unknown)}
}

// settled is a settlement of the first record, an hour later.
func settled(word audit.Outcome, v audit.Voucher) *audit.Record {
	return with(record(audit.KindSettlement, 2, word, audit.Answered), func(r *audit.Record) { r.Time, r.Vouchers = noon.Add(time.Hour), []audit.Voucher{v} })
}

// TestTheVerdictIsWhatAllExchangesShow: an approval holds, an answer that was lost is open until it is settled, and
// the gateway's own questions are no verdict.
func TestTheVerdictIsWhatAllExchangesShow(t *testing.T) {
	approved := func() *audit.Record {
		return with(record(audit.KindOutcome, 1, audit.OutcomeApproved, audit.Answered), func(r *audit.Record) { r.Vouchers = []audit.Voucher{granted} })
	}
	refused := func() *audit.Record {
		return with(record(audit.KindExchange, 0, audit.OutcomeRefused, audit.NotSent), func(r *audit.Record) { r.Decision = audit.DecisionRefuse })
	}
	question := func(decision audit.Decision) *audit.Record {
		return with(record(audit.KindExchange, 0, audit.OutcomeAnswered, audit.Answered), func(r *audit.Record) {
			r.Operation, r.Decision, r.Vouchers = "FECompConsultar", decision, []audit.Voucher{granted}
		})
	}
	number := audit.Voucher{CbteDesde: 5, CbteHasta: 5}
	for name, c := range map[string]struct {
		records []*audit.Record
		want    story.State
		title   string
	}{
		"approved":                    {append(lost()[:1], approved()), story.Approved, "Aprobado"},
		"refused":                     {[]*audit.Record{refused()}, story.Rejected, "Rechazado por la pasarela"},
		"lost":                        {lost(), story.Unknown, "No se sabe si fue emitido"},
		"lost, and found":             {append(lost(), settled(audit.OutcomeRecovered, granted)), story.Approved, "Aprobado"},
		"lost, and not issued":        {append(lost(), settled(audit.OutcomeNotIssued, number)), story.Rejected, "No emitido"},
		"lost, and another invoice's": {append(lost(), settled(outcome.Different, number)), story.Rejected, "No emitido"},
		"asked by a client":           {[]*audit.Record{question(audit.DecisionForward)}, story.Existing, "Autorizado, según una consulta"},
		"asked by the gateway":        {[]*audit.Record{question(audit.DecisionAsk)}, "", "Sin pedidos ni consultas de clientes"},
	} {
		i := invoice(c.records...)
		v := i.Verdicts(i.Turns())[0]
		var by *audit.Record
		if v.By != nil {
			by = c.records[v.By.Index]
		}
		if words := i.Judge(&v, by); v.State != c.want || words.Title != c.title {
			t.Errorf("%s: %s, %+v", name, v.State, words)
		}
	}
}

// TestAReportedInvoiceIsIssuedAlready: where its report was not carried out, or may not have been, nothing says that the
// invoice was not issued.
func TestAReportedInvoiceIsIssuedAlready(t *testing.T) {
	number := audit.Voucher{CbteDesde: 5, CbteHasta: 5}
	notIssued := with(record(audit.KindOutcome, 1, audit.OutcomeNotIssued, audit.Answered), func(r *audit.Record) { r.Vouchers = []audit.Voucher{number} })
	for name, c := range map[string]struct {
		records           []*audit.Record
		title, told, word string
	}{
		"lost":                    {lost(), "No se sabe si fue informado", "si fue atendido, está informado", "state.unknown.reported"},
		"lost, and not reported":  {append(lost(), settled(audit.OutcomeNotIssued, number)), "No informado", "no fue informado", "state.rejected.reported"},
		"asked, and not reported": {[]*audit.Record{notIssued}, "No informado", "no fue informado", "state.rejected.reported"},
		"others of the lot were":  {append(lost(), settled(audit.OutcomeRecovered, number)), "No informado", "no fue informado", "state.rejected.reported"},
		"reported":                {append(lost(), settled(audit.OutcomeRecovered, granted)), "Informado y aceptado", "está autorizado", "state.approved"},
	} {
		for _, r := range c.records {
			r.Operation = "FECAEARegInformativo"
		}
		i := invoice(c.records...)
		v := i.Verdicts(i.Turns())[0]
		words := i.Judge(&v, &audit.Record{Presence: audit.Purged})
		if told := words.Sentence + " " + words.Consequence; words.Title != c.title || !strings.Contains(told, c.told) || strings.Contains(told, "emitid") || v.StateWord() != c.word {
			t.Errorf("%s: %s, %+v", name, v.StateWord(), words)
		}
	}
}

// TestEachServiceHasAVerdictOfItsOwn: each numbers its own invoices. What names no service may have been with any: it
// counts in each, but what it approves counts in none that is known.
func TestEachServiceHasAVerdictOfItsOwn(t *testing.T) {
	at := func(of audit.Environment, records ...*audit.Record) []*audit.Record {
		for _, r := range records {
			r.ID, r.Environment, r.Upstream = "x"+string(of), of, ""
		}
		return records
	}
	yes := func() *audit.Record {
		return with(record(audit.KindExchange, 0, audit.OutcomeApproved, audit.Answered), func(r *audit.Record) { r.Vouchers = []audit.Voucher{granted} })
	}
	no := func() *audit.Record { return record(audit.KindExchange, 0, audit.OutcomeRejected, audit.Answered) }
	open := func() *audit.Record { return record(audit.KindExchange, 0, audit.OutcomeUnknown, audit.Unknown) }
	const production, testing = audit.EnvironmentProduction, audit.EnvironmentTesting
	for name, c := range map[string]struct {
		records [][]*audit.Record
		want    string
	}{
		"rejected, and approved for a test": {[][]*audit.Record{at(production, no()), at(testing, yes())}, "production rejected, testing approved"},
		"approved for a test before":        {[][]*audit.Record{at(testing, yes()), at(production, no())}, "production rejected, testing approved"},
		"both approved":                     {[][]*audit.Record{at(audit.EnvironmentBuiltIn, yes()), at(production, yes())}, "production approved, builtin approved"},
		"one service, and one not named":    {[][]*audit.Record{at(production, no()), at("", yes())}, "production approved"},
		"none is named":                     {[][]*audit.Record{at("", no(), yes())}, " approved"},
		"open, and not named":               {[][]*audit.Record{at(production, no()), at(testing, yes()), at("", open())}, "production unknown, testing approved"},
		"approved, and not named":           {[][]*audit.Record{at(production, no()), at(testing, no()), at("", yes())}, "production rejected,  approved, testing rejected"},
	} {
		i := invoice(slices.Concat(c.records...)...)
		var got []string
		for _, v := range i.Verdicts(i.Turns()) {
			got = append(got, fmt.Sprint(v.Environment, " ", v.State))
		}
		if all := strings.Join(got, ", "); all != c.want {
			t.Errorf("%s: %s, want %s", name, all, c.want)
		}
	}
}

// TestTurnsAreToldInTheOrderInWhichTheyBecameKnown, consecutive questions of the gateway in one line.
func TestTurnsAreToldInTheOrderInWhichTheyBecameKnown(t *testing.T) {
	asked := func(after time.Duration) *audit.Record {
		return with(record(audit.KindExchange, 0, audit.OutcomeAnswered, audit.Answered), func(r *audit.Record) {
			r.Operation, r.Decision, r.Time = "FECompConsultar", audit.DecisionAsk, noon.Add(after)
		})
	}
	i := invoice(append(lost(), asked(time.Second), asked(time.Minute), settled(audit.OutcomeNotIssued, audit.Voucher{CbteDesde: 5, CbteHasta: 5}))...)
	i.Outages = []*story.Outage{{Began: &audit.Record{Log: "gateway-1", Index: 9, Time: noon.Add(-time.Minute), Duration: 2 * time.Hour}}}
	var texts []string
	for _, one := range i.Tell(i.Turns()) {
		texts = append(texts, one.Text)
	}
	want := []string{
		"La pasarela registró el pedido antes", "El pedido salió y no llegó ninguna respuesta", "La pasarela consultó al servicio 2 veces",
		"No llegó la respuesta; más tarde", "El servicio no respondía desde el 22/11/2026 11:59:00",
	}
	for n := range max(len(want), len(texts)) {
		if n >= len(want) || n >= len(texts) || !strings.HasPrefix(texts[n], want[n]) {
			t.Fatalf("got %q", texts)
		}
	}
	if open := story.OpenEntries(i.Entries); len(open) != 0 {
		t.Errorf("%d exchanges are open", len(open))
	}
	if open := story.OpenEntries(invoice(lost()...).Entries); len(open) != 1 || open[0].ID != "x" {
		t.Errorf("%d exchanges are open", len(open))
	}
}

// TestARejectionInDoubtIsNoSilence: the service has answered, and the evidence must not say that it did not.
func TestARejectionInDoubtIsNoSilence(t *testing.T) {
	for _, word := range []audit.Outcome{audit.OutcomeRecovered, audit.OutcomeUnknown} {
		for _, why := range []audit.Record{
			{Cause: audit.CauseRejected},
			{Detail: `the upstream rejects the request, and may have carried it out before: {"Msg":"timeout"}`}, // of an earlier build
		} {
			i := invoice(with(record(audit.KindOutcome, 1, word, audit.Answered), func(r *audit.Record) {
				r.Cause, r.Detail, r.Vouchers = why.Cause, why.Detail, []audit.Voucher{granted}
			}))
			if text := i.Result(i.Entries[0]); !strings.HasPrefix(text, "El servicio rechazó el pedido, que pudo haber atendido antes") || strings.Contains(text, "llegó") {
				t.Errorf("%s: %s", word, text)
			}
		}
	}
}

// TestASettlementSaysWhatItSettles: one of a rejection in doubt said that no answer had come, below the sentence with the
// rejection.
func TestASettlementSaysWhatItSettles(t *testing.T) {
	for _, word := range []audit.Outcome{audit.OutcomeRecovered, audit.OutcomeNotIssued} {
		records := append(lost(), settled(word, granted))
		records[1].Cause = audit.CauseRejected
		i := invoice(records...)
		if text := i.Result(i.Entries[1]); !strings.HasPrefix(text, "El servicio rechazó el pedido, que pudo haber atendido antes; más tarde la pasarela consultó") {
			t.Errorf("%s: %s", word, text)
		}
	}
}

// TestDocumentsOfAnExchange are in the order in which they came. A body that is the client's is not there twice.
func TestDocumentsOfAnExchange(t *testing.T) {
	x := exchange(audit.OutcomeApproved, audit.Answered)
	digest := [32]byte{1}
	x.Intent.Client = &audit.Leg{Form: audit.FormSOAP11, Request: []byte("<a/>"), RequestDigest: digest}
	x.Outcome.Client = &audit.Leg{Form: audit.FormSOAP11, RequestDigest: digest, Answer: []byte("<b/>")}
	x.Outcome.Service = &audit.Leg{Form: audit.FormSOAP12, RequestDigest: digest, Answer: []byte("<c/>")}
	var parts []string
	for _, d := range x.Documents() {
		parts = append(parts, d.Part)
	}
	if got := strings.Join(parts, " "); got != "client-request request service-request service-answer answer client-answer" {
		t.Errorf("got %s", got)
	}
	if d := x.Document(story.PartServiceRequest); !d.Same || !d.IsXML() || d.Media != "SOAP 1.2, application/soap+xml" {
		t.Errorf("%+v", d)
	}
	if x.Document("nothing") != nil {
		t.Error("there is a document that nobody has sent")
	}
}

// TestWhatIsSaidIsOfWhoSaidIt: the answer to a client is the gateway's own where the service gave none.
func TestWhatIsSaidIsOfWhoSaidIt(t *testing.T) {
	r := with(record(audit.KindOutcome, 1, audit.OutcomeRejected, audit.Answered), func(r *audit.Record) { r.Answer = []byte(`{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`) })
	messages, by := story.Voice{}.Said(r)
	if len(messages) != 1 || by != "Lo que dijo el servicio" {
		t.Errorf("%q: %v", by, messages)
	}
	r.Outcome = audit.OutcomeUnknown
	if _, by = (story.Voice{Lang: story.English}).Said(r); by != "What the gateway answered" {
		t.Errorf("%q", by)
	}
	r.Decision, r.Outcome, r.Certainty = audit.DecisionRefuse, audit.OutcomeOutage, audit.NotSent
	r.Findings = []audit.Finding{{Code: "10246", Action: "observe"}}
	if messages, _ = (story.Voice{}).Said(r); len(messages) != 1 {
		t.Error("a finding that only observes hides why the request was not sent")
	}
	r.Findings[0].Action = "refuse"
	if messages, _ = (story.Voice{}).Said(r); len(messages) != 0 {
		t.Error("findings that refuse are told twice")
	}
}

// TestInvoicesAreReadAsFarAsTheyCanBe: a client may send anything.
func TestInvoicesAreReadAsFarAsTheyCanBe(t *testing.T) {
	type total struct{ ImpTotal jsontext.Value }
	for request, want := range map[string]string{
		`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"ImpTotal":1},{}]}}}`:                           "[1 ]",
		`{"FeCAEARegInfReq":{"FeDetReq":{"FECAEADetRequest":[{"ImpTotal":{"a":[]}}]}}}`:               `[{"a":[]}]`,
		`{"x":1,"x":"` + "\xff" + `","FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"ImpTotal":"1"}]}}}`: `["1"]`,
		`{"FeCAEReq":7}`: "[]", `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":{}}}}`: "[]", `{`: "[]", "": "[]",
	} {
		var got []string
		for _, one := range bodies.Invoices[total]([]byte(request)) {
			got = append(got, string(one.ImpTotal))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s has %s, want %s", request, got, want)
		}
	}
}
