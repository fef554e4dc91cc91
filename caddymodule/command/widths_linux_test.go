package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// wide is the width of the terminal that every command must fit.
	wide = 80
	// longLog is the longest name of a log that people give.
	longLog = "facturacion-electronica-norte"
	// bigAmount is an amount with twelve digits before the point.
	bigAmount = 987654321012.34
)

// longWordAlone is a line that nothing can make narrower: one word, behind its name, a mark or nothing.
var longWordAlone = regexp.MustCompile(`^\s*(\S+ +|[✔!✘] \S+( \S+)* +|→ )?\S{40,}$`)

// wantNarrow fails for each line that is wider than the terminal and could be broken.
func wantNarrow(t *testing.T, what, shown string) {
	t.Helper()
	for line := range strings.Lines(shown) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > wide && !longWordAlone.MatchString(line) {
			t.Errorf("%s: %d columns: %s", what, n, line)
		}
	}
}

// wideTrail is a trail with long names and amounts: a month of production, of two points of sale and several rates, and
// an outage of it.
func wideTrail(t *testing.T) string {
	t.Helper()
	var records []*audit.Record
	add := func(r audit.Record) uint64 {
		records = append(records, &r)
		return uint64(len(records) - 1)
	}
	asked := func(pto int32, number int64, at time.Time, failed audit.Outcome) {
		intent := wideExchange(pto, number, at)
		index := add(intent)
		outcome := intent
		outcome.Kind, outcome.Intent, outcome.Request, outcome.Client = audit.KindOutcome, index, nil, nil
		outcome.Outcome, outcome.Certainty, outcome.Status, outcome.Duration = failed, audit.Unknown, 504, 91*time.Second
		if failed == audit.OutcomeApproved {
			outcome.Certainty, outcome.Status, outcome.Resultado, outcome.Answer = audit.Answered, 200, wsfev1.Aprobado, []byte(`{"FECAESolicitarResult":{"Errors":{"Err":[{"Code":10016,"Msg":"El numero o fecha del comprobante no se corresponde con el proximo a autorizar. Consultar metodo FECompUltimoAutorizado."}]}}}`)
			outcome.Vouchers = []audit.Voucher{{CbteDesde: number, CbteHasta: number, Code: strconv.FormatInt(76000000000000+number, 10), Expires: "20261125", Resultado: wsfev1.Aprobado}}
		}
		add(outcome)
	}
	for i := range int64(12) {
		asked(int32(1+i%2*99997), 12345000+i*11, recordedAt.AddDate(0, -1, int(i)), audit.OutcomeApproved)
	}
	asked(99998, 12349999, recordedAt, audit.OutcomeUnknown)
	began := audit.Record{
		Kind: audit.KindOutage, ID: "outage-1", Time: recordedAt, Duration: time.Minute, Outcome: "outage", Upstream: "servicios1.afip.gov.ar:443",
		Detail: fmt.Sprintf(`{"service":"servicios1.afip.gov.ar","scope":"changes","failures":{"network":1250,"service":38},"first":"%s/24","last":"%[1]s/25"}`, longLog),
	}
	add(began)
	began.Outcome, began.Duration = "outage_ended", 2*time.Hour+3*time.Minute+7*time.Second
	add(began)
	began.ID, began.Time, began.Outcome = "outage-2", recordedAt.Add(3*time.Hour), "outage"
	add(began)
	asked(99998, 12349999, recordedAt.Add(4*time.Hour), audit.OutcomeApproved)
	return trailNamed(t, longLog, records...)
}

// wideExchange is the intent of an invoice of a client of SOAP, with findings.
func wideExchange(pto int32, number int64, at time.Time) audit.Record {
	r := audit.Record{
		Kind: audit.KindIntent, ID: fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d-%d", number, at.Unix()), Time: at, Operation: "FECAESolicitar", Cuit: 30500010912, PtoVta: pto, CbteTipo: 201,
		Environment: audit.EnvironmentProduction, Upstream: "servicios1.afip.gov.ar:443", Node: longLog, ClientAddress: "2001:db8:1234:5678:9abc:def0:1234:5678",
		ClientIdentity: "CN=erp.of-a-company-with-a-long-name.example.com.ar,OU=Facturación,O=Example Sociedad Anónima,C=AR",
		Certificate:    "facturacion-electronica, CUIT 30500010912, valid until 2028-11-25 12:00:00-03:00",
		Decision:       audit.DecisionForward, Certainty: audit.Unknown, Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}},
		Detail: "the request was completed: the date of the invoice and the condition of the receiver before VAT were missing",
		Findings: []audit.Finding{{
			Code: "10048", Severity: "EXC", Action: "observe", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal",
			Text:     "ImpTotal no es la suma de ImpTotConc, ImpNeto, ImpOpEx, ImpTrib e ImpIVA",
			Expected: "987654321012.34", Got: "1", Difference: "987654321011", Tolerance: "0.01",
		}},
		Request: fmt.Appendf(nil, `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"Concepto":1,"DocTipo":80,"DocNro":30500010912,"CbteDesde":%d,"CbteHasta":%[1]d,"CbteFch":"20261015",`+
			`"ImpTotal":%.2[2]f,"ImpNeto":%.2[2]f,"ImpIVA":%.2[2]f,"ImpTrib":%.2[2]f,"ImpOpEx":%.2[2]f,"ImpTotConc":%.2[2]f,"MonId":"PES","MonCotiz":1,"Iva":{"AlicIva":[`+
			`{"Id":5,"BaseImp":%.2[2]f,"Importe":%.2[2]f},{"Id":4,"BaseImp":%.2[2]f,"Importe":%.2[2]f},{"Id":6,"BaseImp":%.2[2]f,"Importe":%.2[2]f}]}}]}}}`, number, bigAmount),
		Client: &audit.Leg{Form: audit.FormSOAP11, RequestType: "text/xml; charset=iso-8859-1", Request: []byte(`<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body/></soapenv:Envelope>`), RequestLength: 104},
	}
	r.RequestLength = int64(len(r.Request))
	return r
}

// TestOutagesFitTheTerminal, with the invoices of an issuer below each.
func TestOutagesFitTheTerminal(t *testing.T) {
	store := " --store sqlite:" + wideTrail(t)
	for _, flags := range []string{"", " --cuit 30500010912"} {
		got := onTerminal(t, wide, "audit outages"+flags+store)
		wantNarrow(t, "audit outages"+flags, got)
		for _, want := range []string{longLog + "/27", "2h3m7s", "(80 columns; left out: "} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
	}
}

// TestTotalsFitTheTerminal: amounts are whole, and the columns that have no room are named. So is a comparison.
func TestTotalsFitTheTerminal(t *testing.T) {
	store, book := " --store sqlite:"+wideTrail(t), filepath.Join(t.TempDir(), "libro.csv")
	lines := "Tipo,Punto de Venta,Número Desde,Imp. Total\n"
	for i := range 9 {
		lines += fmt.Sprintf("201,1,%d,%.2f\n", 12345000+i*22, bigAmount+float64(i%2))
	}
	if err := os.WriteFile(book, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{"", " --cuit 30500010912 --compare " + book} {
		got := shownOnTerminal(t, wide, "audit totals --month 2026-10"+flags+store)
		wantNarrow(t, "audit totals"+flags, got)
		for _, want := range []string{"TOTAL\n", fmt.Sprintf("%.2f", bigAmount*6), "(80 columns; left out: FIRST", "at 10.5 %: net "} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if flags != "" && !strings.Contains(got, "  201-1-12345022: total is ") {
			t.Errorf("no difference in\n%s", got)
		}
	}
}

// TestShowFitsTheTerminal, except the bodies, which stand below as they were sent. Spanish sentences have lines of their
// own.
func TestShowFitsTheTerminal(t *testing.T) {
	path := wideTrail(t)
	for _, index := range []string{"0", "1", "24", "25", "26", "27"} {
		got := onTerminal(t, wide, "audit show "+index+" --store sqlite:"+path)
		for paragraph := range strings.SplitSeq(got, "\n\n") {
			label, _, isBody := strings.Cut(paragraph, "\n{")
			if !isBody {
				label, _, _ = strings.Cut(paragraph, "\n<")
			}
			wantNarrow(t, "audit show "+index, label)
		}
		fields, _, _ := strings.Cut(got, "\nrequest: ")
		for line := range strings.Lines(fields) {
			if isSpanish.MatchString(line) && !strings.HasPrefix(line, strings.Repeat(" ", len("certificate  "))) {
				t.Errorf("audit show %s: Spanish beside a name: %s", index, line)
			}
		}
		if index == "1" && len(isSpanish.FindAllString(fields, -1)) < 3 {
			t.Errorf("no sentences of the finding, the rule and the service in\n%s", got)
		}
	}
}

// isSpanish finds the sentences of the finding, of its rule and of the service.
var isSpanish = regexp.MustCompile(`ImpTotal no es|regla 10048:|El numero o fecha`)

// TestHoldsFitTheTerminal.
func TestHoldsFitTheTerminal(t *testing.T) {
	store := " --store sqlite:" + wideTrail(t)
	key := filepath.Join(t.TempDir(), "log.key")
	if err := os.WriteFile(key, []byte(audittest.Key(t, longLog).Private()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	onTerminal(t, wide, "audit hold add --cuit 30500010912 --key-file "+key+store)
	got := onTerminal(t, wide, "audit hold list"+store)
	wantNarrow(t, "audit hold list", got)
	if !strings.Contains(got, "30500010912  ") {
		t.Errorf("%s", got)
	}
}

// TestDoctorFitsTheTerminal: what it found and how to mend it continue below.
func TestDoctorFitsTheTerminal(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "configuration-of-a-company-with-a-long-name")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(folder, "Caddyfile")
	text := strings.Replace(clientsAndReaders, "\t\tclient shop", "\t\taudit sqlite "+filepath.Join(folder, "audit.db")+"\n\t\tclient shop", 1)
	if err := os.WriteFile(config, []byte(strings.NewReplacer(":8080", "http://127.0.0.1:0", "respond 204", "reverse_proxy http://127.0.0.1:1").Replace(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	got := shownOnTerminal(t, wide, "doctor --config "+config)
	wantNarrow(t, "doctor", got)
	if !strings.Contains(got, "✘") || !strings.Contains(got, "→") {
		t.Errorf("%s", got)
	}
}
