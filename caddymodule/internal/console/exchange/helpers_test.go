package exchange_test

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
	"github.com/fielato/fielato/caddymodule/internal/console/exchange"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

// log is the log of all records.
const log = "gateway-1"

var begun = time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC) // 10:00 in Argentina

// desk is a console over a trail.
type desk struct {
	t     *testing.T
	store *audittest.Memory
	site  *site.Site
}

func newDesk(t *testing.T, mask bool) *desk {
	t.Helper()
	d := &desk{t: t, store: audittest.NewMemory()}
	d.site = &site.Site{
		Base: "/consola", MaskAll: mask, Logger: zap.NewNop(), Now: func() time.Time { return begun.Add(time.Hour) },
		Open: func(_ context.Context, do func([]site.Source) error) error {
			return do([]site.Source{{Store: d.store, Logs: []string{log}}})
		},
	}
	d.site.Prepare()
	exchange.Add(d.site)
	return d
}

// add appends a record, and returns its address.
func (d *desk) add(r *audit.Record) string {
	d.t.Helper()
	if r.Time.IsZero() {
		r.Time = begun
	}
	r.Node = log
	return audit.Address(log, audittest.Append(d.t, d.store, log, r))
}

// answered asks for a path, in Spanish.
func (d *desk) answered(method, path string, headers ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	r := httptest.NewRequest(method, path, nil)
	if method == http.MethodPost {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	d.site.ServeHTTP(w, r)
	return w
}

// page returns the page of a record.
func (d *desk) page(address string) string {
	d.t.Helper()
	w := d.answered(http.MethodGet, "/consola/exchange/"+address)
	if w.Code != http.StatusOK {
		d.t.Fatalf("%s: status %d\n%s", address, w.Code, w.Body)
	}
	return w.Body.String()
}

// inOrder fails unless the texts stand in the page in this order.
func (d *desk) inOrder(page string, texts ...string) {
	d.t.Helper()
	rest := page
	for _, text := range texts {
		at := strings.Index(rest, text)
		if at < 0 {
			d.t.Fatalf("%q is not there, or not in its place\n%s", text, page)
		}
		rest = rest[at+len(text):]
	}
}

const (
	issuer   = 20111111112
	receiver = 20222222223
)

// request is one of n invoices from a number on, and answer is what approves them.
func request(first, n int) []byte {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"Concepto":1,"DocTipo":80,"DocNro":%d,"CbteDesde":%[2]d,"CbteHasta":%[2]d,"ImpTotal":121.02,"ImpNeto":100,"ImpIVA":21,`+
			`"MonId":"PES","MonCotiz":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21}]}}`, receiver, first+i))
	}
	return fmt.Appendf(nil, `{"Auth":{"Token":"hmac-sha256:aa","Sign":"hmac-sha256:bb","Cuit":%d},"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[%s]}}}`,
		issuer, n, strings.Join(all, ","))
}

func answer(first, n int) []byte {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"DocTipo":80,"DocNro":%d,"CbteDesde":%[2]d,"CbteHasta":%[2]d,"CbteFch":"20261123","Resultado":"A","CAE":"%[3]s","CAEFchVto":"20261203"}`, receiver, first+i, cae(first+i)))
	}
	return fmt.Appendf(nil, `{"FeCabResp":{"Resultado":"A"},"FeDetResp":{"FECAEDetResponse":[%s]}}`, strings.Join(all, ","))
}

func cae(number int) string { return fmt.Sprintf("9647%010d", number) }

// about fills what every record of FECAESolicitar about some invoices has.
func about(first, n int, r audit.Record) *audit.Record {
	r.Operation, r.Cuit, r.PtoVta, r.CbteTipo = "FECAESolicitar", issuer, 1, 6
	for i := range n {
		v := audit.Voucher{CbteDesde: int64(first + i), CbteHasta: int64(first + i)}
		if len(r.Answer) > 0 {
			v.Code, v.Resultado, v.Expires = cae(first+i), "A", "20261203"
		}
		r.Vouchers = append(r.Vouchers, v)
	}
	r.RequestLength, r.AnswerLength = int64(len(r.Request)), int64(len(r.Answer))
	r.RequestDigest, r.AnswerDigest = sha256.Sum256(r.Request), sha256.Sum256(r.Answer)
	r.ClientAddress, r.Upstream = "192.0.2.7", "arca.example:443"
	return &r
}

// intent adds an intent, and returns its index.
func (d *desk) intent(id string, first, n int) uint64 {
	d.t.Helper()
	head, err := d.store.Head(d.t.Context(), log)
	if err != nil {
		d.t.Fatal(err)
	}
	d.add(about(first, n, audit.Record{
		Kind: audit.KindIntent, ID: id, Decision: "forward", Certainty: audit.Unknown, Request: request(first, n), Fingerprint: [16]byte{byte(first)},
	}))
	return head.Size
}

// approved adds an exchange that the service has approved, and returns the address of its outcome.
func (d *desk) approved(id string, first, n int) string {
	d.t.Helper()
	return d.add(about(first, n, audit.Record{
		Kind: audit.KindOutcome, ID: id, Intent: d.intent(id, first, n), Decision: "forward", Outcome: "approved", Certainty: audit.Answered,
		Status: 200, Duration: 350 * time.Millisecond, Answer: answer(first, n), Fingerprint: [16]byte{byte(first)},
	}))
}
