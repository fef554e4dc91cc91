package invoice_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/invoice"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/audittest"
)

const (
	log    = "gateway-1"
	beside = "gateway-2"
	issuer = 20111111112
	cae    = "76470000000018"
	at     = "/comprobante/20111111112/6/1/5"

	production = "servicios1.afip.gov.ar:443"
	receiver   = "20222222223"
)

// noon is when the first exchange begins: 12:00:00 in Argentina.
var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

// desk is a console over a trail.
type desk struct {
	t     *testing.T
	store *audittest.Memory
	site  *site.Site
	logs  []string
	clock time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, store: audittest.NewMemory(), logs: []string{log, beside}, clock: noon}
	for _, name := range d.logs {
		key := audittest.Key(t, name)
		if _, err := d.store.Secret(t.Context(), signingkey.VerifierKeyOf(name), func() ([]byte, error) { return []byte(key.Verifier()), nil }); err != nil {
			t.Fatal(err)
		}
	}
	d.site = &site.Site{
		Base: "/consola", Logger: zap.NewNop(), Now: func() time.Time { return noon.Add(time.Hour) },
		Open: func(_ context.Context, do func([]site.Source) error) error {
			return do([]site.Source{{Store: d.store, Logs: d.logs}})
		},
	}
	d.site.Prepare()
	invoice.Add(d.site)
	return d
}

// add appends a record to a log, a second after the one before it, and returns its index.
func (d *desk) add(name string, r audit.Record) uint64 {
	d.t.Helper()
	if r.Time.IsZero() {
		d.clock = d.clock.Add(time.Second)
		r.Time = d.clock
	}
	r.Node = name
	return audittest.Append(d.t, d.store, name, &r)
}

// get asks for a path below the console, in a language.
func (d *desk) get(path, language string) *httptest.ResponseRecorder {
	d.t.Helper()
	r := httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, "/consola"+path, nil)
	r.Header.Set("Accept-Language", language)
	w := httptest.NewRecorder()
	d.site.ServeHTTP(w, r)
	return w
}

// page returns the page of the invoice.
func (d *desk) page(language string) string {
	d.t.Helper()
	w := d.get(at, language)
	if w.Code != http.StatusOK {
		d.t.Fatalf("status %d\n%s", w.Code, w.Body)
	}
	return w.Body.String()
}

// inOrder fails unless the texts stand in the page in this order.
func (d *desk) inOrder(page string, texts ...string) {
	d.t.Helper()
	rest := page
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			d.t.Fatalf("%q is not there, or not in its place\n%s", text, page)
		}
		rest = after
	}
}

// hasNone fails if one of the texts stands in the page.
func (d *desk) hasNone(page string, texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			d.t.Errorf("%q stands in\n%s", text, page)
		}
	}
}

// request asks for n vouchers of type 6 from this number on. more are further members of each.
func request(first, n int, more string) []byte {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"Concepto":1,"DocTipo":80,"DocNro":%s,"CbteDesde":%[2]d,"CbteHasta":%[2]d,"CbteFch":"20261121","ImpTotal":%[2]d21.00,"ImpNeto":%[2]d00,"ImpIVA":21,`+
			`"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21}]}%[3]s}`, receiver, first+i, more))
	}
	return fmt.Appendf(nil, `{"Auth":{"Token":"hmac-sha256:aa","Sign":"hmac-sha256:bb","Cuit":%d},"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[%s]}}}`,
		issuer, n, strings.Join(all, ","))
}

// answer judges n vouchers from a number on.
func answer(first, n int, as audit.Voucher) []byte {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"DocTipo":80,"DocNro":%s,"CbteDesde":%[2]d,"CbteHasta":%[2]d,"CbteFch":"20261121","Resultado":"%[3]s","CAE":"%[4]s","CAEFchVto":"%[5]s"}`,
			receiver, first+i, as.Resultado, as.Code, as.Expires))
	}
	return fmt.Appendf(nil, `{"FeCabResp":{"Cuit":%d,"PtoVta":1,"CbteTipo":6,"Resultado":"%s"},"FeDetResp":{"FECAEDetResponse":[%s]}}`, issuer, as.Resultado, strings.Join(all, ","))
}

// vouchers are n vouchers from a number on, as one was judged.
func vouchers(first, n int, as audit.Voucher) (all []audit.Voucher) {
	for i := range n {
		one := as
		one.CbteDesde, one.CbteHasta = int64(first+i), int64(first+i)
		all = append(all, one)
	}
	return all
}

var (
	granted = audit.Voucher{Code: cae, Expires: "20261202", Resultado: "A"}
	denied  = audit.Voucher{Resultado: "R"}
)

// record is a record of an exchange about n vouchers from a number on.
func record(kind audit.Kind, word audit.Outcome, first, n int, as audit.Voucher) audit.Record {
	r := audit.Record{
		Kind: kind, ID: "x", Operation: "FECAESolicitar", Decision: audit.DecisionForward, Outcome: word, Certainty: audit.Answered,
		Cuit: issuer, PtoVta: 1, CbteTipo: 6, Vouchers: vouchers(first, n, as), Upstream: production, Resultado: as.Resultado, Status: 200,
	}
	switch {
	case kind == audit.KindIntent:
		r.Outcome, r.Certainty, r.Status = "", audit.Unknown, 0
	case word == audit.OutcomeUnknown:
		r.Certainty = audit.Unknown
	case word == audit.OutcomeRefused:
		r.Decision, r.Certainty = audit.DecisionRefuse, audit.NotSent
		r.Findings = []audit.Finding{{Code: "10048", Severity: "EXC", Action: "refuse", Text: "El total no es la suma.", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal"}}
	case word == audit.OutcomeReplayed:
		r.Decision, r.Certainty = audit.DecisionReplay, audit.NotSent
	}
	if kind == audit.KindIntent || kind == audit.KindExchange {
		r.Request = request(first, n, "")
		r.RequestDigest, r.RequestLength = sha256.Sum256(r.Request), int64(len(r.Request))
	}
	return r
}

// issue adds an intent and its outcome.
func (d *desk) issue(name string, word audit.Outcome, first, n int, as audit.Voucher) (intent uint64) {
	d.t.Helper()
	r := record(audit.KindIntent, "", first, n, audit.Voucher{})
	r.ID = fmt.Sprintf("x-%d", d.clock.Unix())
	intent = d.add(name, r)
	end := record(audit.KindOutcome, word, first, n, as)
	if as.Resultado != "" {
		end.Answer = answer(first, n, as)
		end.AnswerDigest, end.AnswerLength = sha256.Sum256(end.Answer), int64(len(end.Answer))
	}
	end.ID, end.Intent, end.Time, end.Duration = r.ID, intent, d.clock, 350*time.Millisecond
	d.add(name, end)
	return intent
}
