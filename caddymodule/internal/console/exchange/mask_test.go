package exchange_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/audittest"
)

// soapRequest is a request as a client of SOAP sent it.
var soapRequest = fmt.Appendf(nil, `<?xml version="1.0"?><Envelope><Body><FECAESolicitar><!-- para 20-22222222-3 --><DocNro>%d</DocNro><Msg>20222222223</Msg></FECAESolicitar></Body></Envelope>`, receiver)

// withDocuments adds a refused exchange whose every part quotes the receiver.
func (d *desk) withDocuments() string {
	return d.add(about(5, 1, audit.Record{
		Kind: audit.KindExchange, ID: "a", Decision: "refuse", Outcome: "refused", Certainty: audit.NotSent, Status: 200, Request: request(5, 1),
		Answer: []byte(`{"FeDetResp":{"FECAEDetResponse":[{"DocNro":20222222223,"Observaciones":{"Obs":[{"Code":10015,"Msg":"CUIT 20-22222222-3 no vale"}]}}]}}`),
		Detail: "about 20222222223",
		Client: &audit.Leg{Form: audit.FormSOAP11, RequestType: "text/xml", RequestLength: int64(len(soapRequest)), Request: soapRequest, Answer: soapRequest},
		Findings: []audit.Finding{
			{Code: "10015", Severity: "EXC", Action: "refuse", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/DocNro", Text: "DocNro 20222222223 no vale", Got: "20222222223"},
			{Code: "10063", Severity: "EXC", Action: "refuse", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0", Text: "el receptor 20.222.222.223 no está", Expected: "20222222223"},
		},
	}))
}

// quotes reports whether a text holds the receiver's document in any form.
func quotes(text string) bool {
	squeezed := strings.NewReplacer("-", "", ".", "", " ", "").Replace(text)
	return strings.Contains(squeezed, "20222222223") || strings.Contains(squeezed, "22222222")
}

// TestNothingShowsADocumentUnlessItIsRevealed: neither the page nor any download.
func TestNothingShowsADocumentUnlessItIsRevealed(t *testing.T) {
	d := newDesk(t, true)
	at := d.withDocuments()
	page := d.page(at)
	if quotes(page) {
		t.Errorf("the page shows the document\n%s", page)
	}
	d.inOrder(page, "Los documentos de los receptores están ocultos", "Mostrar documentos", "Receptor", "CUIT •••", "El SHA-256 se muestra junto con los documentos")
	d.inOrder(page, "Se recibió", "•••")
	parts := []string{"request", "answer", "client-request", "client-answer"}
	for _, part := range parts {
		w := d.answered(http.MethodGet, "/consola/exchange/"+at+"/"+part)
		if w.Code != http.StatusOK || quotes(w.Body.String()) || !strings.Contains(w.Body.String(), "•••") {
			t.Errorf("%s: status %d, %s", part, w.Code, w.Body)
		}
	}
	revealed := d.answered(http.MethodPost, "/consola/exchange/"+at+"/reveal")
	if revealed.Code != http.StatusOK || revealed.Header().Get("Set-Cookie") != "" {
		t.Fatalf("status %d, cookie %q", revealed.Code, revealed.Header().Get("Set-Cookie"))
	}
	d.inOrder(revealed.Body.String(), "Los documentos de los receptores están a la vista", "CUIT 20-22222222-3", `action="/consola/exchange/`+at+`/reveal/request"`)
	for _, part := range parts {
		if w := d.answered(http.MethodPost, "/consola/exchange/"+at+"/reveal/"+part); w.Code != http.StatusOK || !quotes(w.Body.String()) {
			t.Errorf("%s revealed: status %d, %s", part, w.Code, w.Body)
		}
	}
	if quotes(d.page(at)) {
		t.Error("the page shows the document after another reader has revealed it")
	}
}

// TestOnlyTheConsolesOwnPageReveals.
func TestOnlyTheConsolesOwnPageReveals(t *testing.T) {
	d := newDesk(t, true)
	at := d.withDocuments()
	for _, path := range []string{"/reveal", "/reveal/request"} {
		if w := d.answered(http.MethodPost, "/consola/exchange/"+at+path, "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden || quotes(w.Body.String()) {
			t.Errorf("%s from another site: status %d, %s", path, w.Code, w.Body)
		}
		w := d.answered(http.MethodGet, "/consola/exchange/"+at+path)
		if w.Code != http.StatusSeeOther || quotes(w.Body.String()) {
			t.Errorf("a reload of %s: status %d", path, w.Code)
		}
		if w = d.answered(http.MethodGet, w.Header().Get("Location")); w.Code != http.StatusOK || quotes(w.Body.String()) {
			t.Errorf("a reload of %s ends at status %d", path, w.Code)
		}
	}
}

// opener opens the store of a desk.
type opener struct {
	d   *desk
	key string
}

func (opener) Key() string     { return "desk" }
func (opener) Address() string { return "desk" }
func (opener) LogName() string { return log }

func (o opener) KeyFile() string { return o.key }

func (o opener) OpenStore(context.Context, *audit.ContentKey) (audit.Store, error) {
	return o.d.store, nil
}

// openTrail opens the trail of a gateway that records who reads.
func (d *desk) openTrail() *trail.Trail {
	d.t.Helper()
	options := &trail.Options{LogReads: true}
	from := opener{d, d.t.TempDir() + "/key"}
	if err := options.Provision(from); err != nil {
		d.t.Fatal(err)
	}
	opened, err := trail.Open(d.t.Context(), from, options, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			d.t.Error(err)
		}
	})
	if err := d.store.SetSetting(d.t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		d.t.Fatal(err)
	}
	return opened
}

// TestEachReadIsRecorded with log_reads: what was shown, and what was revealed.
func TestEachReadIsRecorded(t *testing.T) {
	d := newDesk(t, true)
	opened := d.openTrail()
	d.site.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: d.store, Logs: []string{log}, Trail: opened}})
	}
	index, err := opened.Append(about(5, 1, audit.Record{
		Kind: audit.KindExchange, ID: "a", Decision: "refuse", Outcome: "refused", Certainty: audit.NotSent, Status: 200, Request: request(5, 1), Time: begun,
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := audit.Address(log, index)
	d.page(at)
	d.answered(http.MethodGet, "/consola/exchange/"+at+"/request")
	d.answered(http.MethodPost, "/consola/exchange/"+at+"/reveal")
	d.answered(http.MethodPost, "/consola/exchange/"+at+"/reveal/request")
	var all []string
	for r, err := range d.store.Search(t.Context(), audit.Query{Log: log, Kind: audit.KindAccess}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Detail)
	}
	want := []string{"console reveal " + at + " request", "console reveal " + at, "console show " + at + " request", "console show " + at}
	if strings.Join(all, "|") != strings.Join(want, "|") {
		t.Errorf("recorded are %q, want %q", all, want)
	}
}

// TestWhatCannotBeRecordedIsNotRevealed.
func TestWhatCannotBeRecordedIsNotRevealed(t *testing.T) {
	d := newDesk(t, true)
	at := d.withDocuments()
	if err := d.store.SetSetting(t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/reveal", "/reveal/request"} {
		if w := d.answered(http.MethodPost, "/consola/exchange/"+at+path); w.Code != http.StatusServiceUnavailable || quotes(w.Body.String()) {
			t.Errorf("%s: status %d, %s", path, w.Code, w.Body)
		}
	}
}

// TestWhatIsNotThereSaysWhy, at its place.
func TestWhatIsNotThereSaysWhy(t *testing.T) {
	d := newDesk(t, false)
	redacted := d.add(about(5, 1, audit.Record{
		Kind: audit.KindExchange, ID: "a", Decision: "refuse", Outcome: "refused", Certainty: audit.NotSent, Status: 200,
		Request:  []byte(`{"Auth":{"Token":"hmac-sha256:aabb"},"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"DocTipo":80,"DocNro":"hmac-sha256:ccdd","CbteDesde":5}]}}}`),
		Findings: []audit.Finding{{Code: "10015", Action: "refuse", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/DocNro", Text: "hmac-sha256:eeff"}},
	}))
	d.inOrder(d.page(redacted), "Receptor", "la pasarela no lo guarda", "hmac-sha256:aabb", "credencial: no se guarda", "hmac-sha256:ccdd", "la pasarela no lo guarda")
	old := d.approved("b", 5, 1)
	audittest.Purge(t, d.store, nil, d.store.Purger(), audit.PurgeRequest{Log: log, Before: audit.PeriodOf(begun.AddDate(0, 1, 0))})
	page := d.page(old)
	d.inOrder(page, "Factura B", "aprobado", "El contenido ya no se conserva", "0001-00000005", "CAE "+cae(5), "ya no se conserva", "ya no se conserva")
	if strings.Contains(page, "/request\"") {
		t.Error("what was purged can be downloaded")
	}
}
