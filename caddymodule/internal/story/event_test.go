package story_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/internal/once"
)

var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC) // 12:00 in Argentina

// record is a record about Factura B 0001-00000005.
func record(kind audit.Kind, index uint64, word audit.Outcome, certainty audit.Certainty) *audit.Record {
	return &audit.Record{
		Log: "gateway-1", Index: index, Kind: kind, ID: "x", Time: noon, Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Decision: audit.DecisionForward, Outcome: word, Certainty: certainty, Upstream: "arca.example:443", ClientAddress: "192.0.2.7",
		Vouchers: []audit.Voucher{{CbteDesde: 5, CbteHasta: 5}},
	}
}

// with changes a record.
func with(r *audit.Record, change func(*audit.Record)) *audit.Record {
	change(r)
	return r
}

// exchange is an intent with an outcome.
func exchange(word audit.Outcome, certainty audit.Certainty) *story.Exchange {
	intent := record(audit.KindIntent, 0, "", audit.Unknown)
	end := with(record(audit.KindOutcome, 1, word, certainty), func(r *audit.Record) { r.Status, r.Duration = 200, time.Second })
	return &story.Exchange{At: end, Intent: intent, Outcome: end}
}

// told returns the names of events, with their details.
func told(events []story.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, strings.TrimSuffix(e.Name+": "+e.Detail, ": "))
	}
	return strings.Join(all, "; ")
}

// TestEventsOfAnExchange are in the order in which they happened, and say how certain each is.
func TestEventsOfAnExchange(t *testing.T) {
	approved := exchange(audit.OutcomeApproved, audit.Answered)
	approved.At.Vouchers[0].Code = "76470000000018"
	lost := exchange(audit.OutcomeUnknown, audit.Unknown)
	lost.Outcome.Cause = audit.CauseTimeout
	question := with(record(audit.KindExchange, 2, audit.OutcomeAnswered, audit.Answered), func(r *audit.Record) {
		r.Decision, r.Operation, r.Time, r.Vouchers[0].Code = audit.DecisionAsk, "FECompConsultar", noon.Add(time.Minute), "76470000000018"
	})
	lost.Asked = []*audit.Record{question}
	lost.Settlement = with(record(audit.KindSettlement, 3, audit.OutcomeRecovered, audit.Answered), func(r *audit.Record) { r.Time = noon.Add(time.Hour) })
	reported := *question
	reported.Answer = []byte(`{"ResultGet":{"CodAutorizacion":"76470000000018","EmisionTipo":"CAEA"}}`)
	repeat := with(record(audit.KindExchange, 4, audit.OutcomeReplayed, audit.NotSent), func(r *audit.Record) {
		r.Decision, r.Status, r.Detail = audit.DecisionReplay, 200, "answered as record gateway-1/1, the same request"
	})
	intent := record(audit.KindIntent, 0, "", audit.Unknown)
	for want, x := range map[string]*story.Exchange{
		"Recibido: 192.0.2.7; Validado: sin hallazgos; Intención; Enviado: arca.example:443; Respuesta: aprobado · CAE 76470000000018; Respondido: HTTP 200 · 1,00 s": approved,
		"Recibido: 192.0.2.7; Validado: sin hallazgos; Intención; Enviado: arca.example:443; Silencio; Respondido: HTTP 200 · 1,00 s; " +
			"Pregunta: FECompConsultar · Factura B 0001-00000005: lo tiene, CAE 76470000000018; Resuelto: recuperado": lost,
		"Recibido: 192.0.2.7; Validado: sin hallazgos; Repetido; Respondido: HTTP 200 · menos de 0,01 s":                                          {At: repeat, Outcome: repeat},
		"Recibido: 192.0.2.7; Validado: sin hallazgos; Intención; Abierto":                                                                        {At: intent, Intent: intent},
		"Pregunta: arca.example:443; Respuesta: lo tiene, CAE 76470000000018":                                                                     {At: question},
		"Pregunta: arca.example:443; Respuesta: lo tiene, CAEA 76470000000018":                                                                    {At: &reported},
		"Recibido: 192.0.2.7; Validado: sin hallazgos; Intención; No enviado; Respondido: HTTP 200 · 1,00 s":                                      exchange(audit.OutcomeNotSent, audit.NotSent),
		"Recibido: 192.0.2.7; Validado: sin hallazgos; Intención; Enviado: arca.example:443; Respuesta inservible; Respondido: HTTP 200 · 1,00 s": exchange(audit.OutcomeUpstreamError, audit.Unknown),
	} {
		if got := told(story.Voice{}.Events(x, story.Around{})); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	denied := exchange(audit.OutcomeRecovered, audit.Answered)
	denied.Outcome.Cause, denied.Outcome.Detail, denied.Asked = audit.CauseRejected, `it rejects: {"FeCabResp":{"Resultado":"R"}}`, lost.Asked
	if e := (story.Voice{}).Events(denied, story.Around{})[4]; e.Name != "Rechazo en duda" || strings.Contains(e.Text, "No llegó") || !strings.Contains(e.Quote, `"R"`) {
		t.Errorf("%+v", e)
	}
	events := story.Voice{}.Events(lost, story.Around{})
	if late := events[4]; late.Text != "El servicio no respondió a tiempo y no se sabía si lo atendió" || late.Cause != "" || late.Certainty != "no se sabe si el servicio lo atendió" {
		t.Errorf("%+v", late)
	}
	if origin := (story.Voice{}).Events(&story.Exchange{At: repeat, Outcome: repeat}, story.Around{})[2].Origin; origin != "gateway-1/1" {
		t.Errorf("the origin is %q", origin)
	}
}

// TestOutagesStandWhereTheyHappened, and repeats behind the answer.
func TestOutagesStandWhereTheyHappened(t *testing.T) {
	outage := func(index uint64, word audit.Outcome, lasted time.Duration) *audit.Record {
		return &audit.Record{Log: "gateway-1", Index: index, Kind: audit.KindOutage, ID: "o", Time: noon.Add(-time.Minute), Outcome: word, Duration: lasted}
	}
	ended, began := outage(9, outcome.OutageEnded, time.Hour), outage(8, outcome.OutageBegan, 0)
	all := story.OutagesOf([]*audit.Record{ended, began})
	if len(all) != 1 || !all[0].During(noon, noon) || all[0].During(noon.Add(2*time.Hour), noon.Add(3*time.Hour)) || all[0].During(noon.Add(-time.Hour), noon.Add(-2*time.Minute)) {
		t.Fatalf("%+v", all)
	}
	x := exchange(audit.OutcomeUnknown, audit.Unknown)
	repeat := with(record(audit.KindExchange, 4, audit.OutcomeReplayed, audit.NotSent), func(r *audit.Record) { r.Time = noon.Add(2 * time.Minute) })
	events := story.Voice{Lang: story.English}.Events(x, story.Around{Repeats: []*audit.Record{repeat}, Outages: all})
	var names []string
	for _, e := range events {
		names = append(names, e.Name)
	}
	want := []string{"Outage", "Received", "Checked", "Intent", "Sent", "Silence", "Answered", "Repeated", "End of the outage"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q", names)
	}
}

// hideAll hides every text.
type hideAll struct{}

func (hideAll) Text(string) string      { return "•••" }
func (hideAll) Code(code string) string { return code }

// TestWhatIsQuotedIsHidden, bounded, and free of what would turn its neighbours around.
func TestWhatIsQuotedIsHidden(t *testing.T) {
	x := exchange(audit.OutcomeUnknown, audit.Unknown)
	x.Intent.ClientIdentity, x.Outcome.Detail = "20222222223", "lost 20222222223"
	for _, e := range (story.Voice{Hide: hideAll{}}).Events(x, story.Around{}) {
		if strings.Contains(e.Detail+e.Quote, "20222222223") {
			t.Errorf("%+v", e)
		}
	}
	if got := story.Clean("\u202e" + strings.Repeat("x", 1000)); !strings.HasPrefix(got, `\u202exxx`) || !strings.HasSuffix(got, "… (1.003 bytes)") {
		t.Errorf("got %q", got)
	}
}

// TestEveryOutcomeHasWords in both languages, the one of settlements too.
func TestEveryOutcomeHasWords(t *testing.T) {
	if outcome.Different != audit.Outcome(once.Different) {
		t.Errorf("records of settlements say %q", once.Different)
	}
	for _, word := range append(slices.Clone(audit.Outcomes), outcome.Open, outcome.Different) {
		es, en := story.Voice{}.OutcomeWord(word), story.Voice{Lang: story.English}.OutcomeWord(word)
		if es == string(word) || en == "" || es == en {
			t.Errorf("%s: %q, %q", word, es, en)
		}
	}
	if got := (story.Voice{}).OutcomeWord("another"); got != "another" {
		t.Errorf("a word that is not known is %q", got)
	}
}

// TestCodesFromALogAreTestCodes only if the built-in service had issued into it.
func TestCodesFromALogAreTestCodes(t *testing.T) {
	var never time.Time
	before, after := noon.Add(-time.Hour), noon.Add(time.Hour)
	for _, c := range []struct {
		of    environment.Environment
		since time.Time
		want  bool
	}{{environment.BuiltIn, never, true}, {environment.Another, before, false}, {"", never, false}, {"", before, true}, {"", after, false}} {
		if got := story.IsTestCode(c.of, noon, c.since); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
