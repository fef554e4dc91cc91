package tryit_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest/fixture"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

const trailLog = "gateway-1"

// recorded is the request of a record: as wrong says, with fingerprints in the place of the ticket, for a receiver.
func recorded() string {
	return strings.NewReplacer(fixture.Token, "hmac-sha256:aa", fixture.Sign, "hmac-sha256:bb", `"DocTipo":99`, `"DocTipo":80`, `"DocNro":0`, `"DocNro":20222222223`, "121.00", "150.00").
		Replace(fixture.Invoice(1))
}

// refusal is the record of a refused request.
func refusal(request string) audit.Record {
	return audit.Record{
		Kind: audit.KindExchange, ID: "a", Time: time.Date(2026, 11, 20, 9, 0, 0, 0, wsfev1.Argentina), Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
		Vouchers: []audit.Voucher{{CbteDesde: 1, CbteHasta: 1}}, Decision: audit.DecisionRefuse, Outcome: audit.OutcomeRefused, Certainty: audit.NotSent, Status: 200, Request: []byte(request),
	}
}

// withTrail gives the console a trail of these records.
func (c *console) withTrail(t *testing.T, records ...audit.Record) *audittest.Memory {
	t.Helper()
	store := audittest.NewMemory()
	for i := range records {
		audittest.Append(t, store, trailLog, &records[i])
	}
	c.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{trailLog}}})
	}
	return store
}

func (c *console) open(t *testing.T, method, path string) string {
	t.Helper()
	w := c.do(httptest.NewRequest(method, "/consola/try/gateway-1/"+path, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// TestARefusedRequestOpens indented and judged, without its ticket, and says where it is from. Whatever is done with
// it then, the trail stays as it is.
func TestARefusedRequestOpens(t *testing.T) {
	c := newConsole(t)
	store := c.withTrail(t, refusal(recorded()))
	page := c.open(t, http.MethodGet, "0")
	box := boxOf(t, page)
	if !strings.Contains(box, "\n          \"ImpTotal\": 150.00,\n") || strings.Contains(box, "Token") || strings.Contains(box, "Sign") || strings.Contains(box, "hmac") {
		t.Errorf("the box has\n%s", box)
	}
	for _, shown := range []string{`<a href="/consola/exchange/gateway-1/0"><bdi>gateway-1/0</bdi></a>`, "rechazado por una regla", "Sin Token ni Sign", "ImpTotal: 121,00 en lugar de 150,00", "<option selected>FECAESolicitar</option>"} {
		if !strings.Contains(page, shown) {
			t.Errorf("the page lacks %q", shown)
		}
	}
	if strings.Contains(page, "en JSON.") || strings.Contains(page, "otro día") || strings.Contains(page, "?example=") {
		t.Error("the page says what does not hold")
	}
	f, after := c.use(t, box, "all")
	if f.Class != "good" || !f.Passes || after != strings.Replace(box, "150.00", "121.00", 1) {
		t.Errorf("%+v\n%s", f, after)
	}
	c.post(t, map[string]string{"document": box, "use": "all"})
	head, err := store.Head(t.Context(), trailLog)
	if err != nil || head.Size != 1 {
		t.Errorf("the trail has %d records: %v", head.Size, err)
	}
}

// TestARequestInSOAPOpens in JSON, and a malformed one as it is.
func TestARequestInSOAPOpens(t *testing.T) {
	c := newConsole(t)
	message := `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><FECAESolicitar xmlns="http://ar.gov.afip.dif.FEV1/"><FeCAEReq><ImpTotal>x</ImpTotal></FeCAEReq></FECAESolicitar></Body></Envelope>`
	twin, malformed := refusal(recorded()), refusal(recorded())
	twin.Client = &audit.Leg{Form: audit.FormSOAP11, RequestType: "text/xml", RequestLength: int64(len(message)), Request: []byte(message)}
	malformed.ID, malformed.Client, malformed.Outcome = "b", twin.Client, audit.OutcomeMalformed
	c.withTrail(t, twin, malformed)
	page := c.open(t, http.MethodGet, "0")
	if !strings.Contains(page, "Llegó en SOAP; este es el mismo pedido en JSON.") || !strings.HasPrefix(boxOf(t, page), "{\n") {
		t.Errorf("one in SOAP is shown as\n%s", boxOf(t, page))
	}
	page = c.open(t, http.MethodGet, "1")
	if box := boxOf(t, page); !strings.Contains(box, "\n        <ImpTotal>x</ImpTotal>\n") || strings.Contains(page, "en JSON.") {
		t.Errorf("a malformed one is shown as\n%s", box)
	}
}

// TestDocumentsAreHidden until the reader reveals them, by a form of the page's own.
func TestDocumentsAreHidden(t *testing.T) {
	c := newConsole(t)
	c.MaskAll = true
	c.withTrail(t, refusal(recorded()))
	page := c.open(t, http.MethodGet, "0")
	if strings.Contains(page, "20222222223") || !strings.Contains(boxOf(t, page), `"DocNro": "•••"`) || !strings.Contains(page, `<form method="post" action="/consola/try/gateway-1/0/reveal">`) {
		t.Errorf("with mask:\n%s", page)
	}
	page = c.open(t, http.MethodPost, "0/reveal")
	if !strings.Contains(boxOf(t, page), `"DocNro": 20222222223`) || !strings.Contains(page, "ImpTotal: 121,00 en lugar de 150,00") {
		t.Errorf("revealed:\n%s", page)
	}
	w := c.do(httptest.NewRequest(http.MethodGet, "/consola/try/gateway-1/0/reveal", nil))
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/consola/try/gateway-1/0" {
		t.Errorf("a reload: %d %v", w.Code, w.Header())
	}
	r := httptest.NewRequest(http.MethodPost, "/consola/try/gateway-1/0/reveal", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w = httptest.NewRecorder()
	if c.ServeHTTP(w, r); w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "20222222223") {
		t.Errorf("from another site: %d", w.Code)
	}
}

// TestTheDayIsTheReaders: of an earlier request the page says so, and judges as of its day if asked.
func TestTheDayIsTheReaders(t *testing.T) {
	c := newConsole(t)
	old := refusal(strings.Replace(recorded(), `"Concepto"`, `"CbteFch":"20261101","Concepto"`, 1))
	old.Time = time.Date(2026, 11, 1, 9, 0, 0, 0, wsfev1.Argentina)
	c.withTrail(t, old)
	page := c.open(t, http.MethodGet, "0")
	const own = "/consola/try/gateway-1/0?date=2026-11-01"
	if !strings.Contains(page, "El pedido es de otro día") || !strings.Contains(page, `href="`+own+`"`) || !strings.Contains(page, "/rules/10016") {
		t.Errorf("as of today:\n%s", page)
	}
	page = c.open(t, http.MethodGet, "0?date=2026-11-01")
	if strings.Contains(page, "otro día") || strings.Contains(page, "/rules/10016") {
		t.Errorf("as of its day:\n%s", page)
	}
}

// TestTheMessagesOfTheServiceAreTold: the gateway's rules may find nothing in a request that the service has rejected.
func TestTheMessagesOfTheServiceAreTold(t *testing.T) {
	c := newConsole(t)
	r := refusal(strings.Replace(recorded(), "150.00", "121.00", 1))
	r.Decision, r.Outcome, r.Certainty, r.Upstream = audit.DecisionForward, audit.OutcomeRejected, audit.Answered, "service.example:443"
	r.Answer = []byte(`{"FeCabResp":{"Resultado":"R"},"FeDetResp":{"FECAEDetResponse":[{"Resultado":"R","Observaciones":{"Obs":[{"Code":10015,"Msg":"<b>no vale</b>"}]}}]}}`)
	c.withTrail(t, r)
	page := c.open(t, http.MethodGet, "0")
	if !strings.Contains(page, `El servicio respondió <a href="/consola/rules/10015">10015</a>: <bdi>&lt;b&gt;no vale`) || !strings.Contains(page, "Sin hallazgos: la pasarela") {
		t.Errorf("the page is\n%s", page)
	}
}

// TestWhatIsNotKeptDoesNotOpen: no record, one without a request, one that is no exchange.
func TestWhatIsNotKeptDoesNotOpen(t *testing.T) {
	c := newConsole(t)
	empty := refusal("")
	empty.Request = nil
	c.withTrail(t, empty, audit.Record{Kind: audit.KindAccess, ID: "x", Time: empty.Time, Request: []byte("a table")})
	for _, at := range []string{"0", "1", "2", "x"} {
		if w := c.do(httptest.NewRequest(http.MethodGet, "/consola/try/gateway-1/"+at, nil)); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s", at, w.Code, w.Body)
		}
	}
	redacted := newConsole(t)
	redacted.withTrail(t, refusal(strings.Replace(recorded(), "20222222223", `"hmac-sha256:cc"`, 1)))
	if page := redacted.open(t, http.MethodGet, "0"); !strings.Contains(page, "donde dice hmac-sha256, escriba el valor") {
		t.Errorf("one that is not kept whole:\n%s", page)
	}
}

// TestHostileRecordsOpen as text, whatever they are.
func TestHostileRecordsOpen(t *testing.T) {
	c := newConsole(t)
	hostile := []string{
		`</textarea><script>alert(1)</script>`, "{\"x\":\"\u202e\u2066\"}", "\x00\xff\xfe", strings.Repeat("[", 1<<16), `{"Auth":{"Token":"hmac-sha256:aa"},"Auth":{"Token":"hmac-sha256:aa","Cuit":1}}`,
		strings.Replace(recorded(), `"PES"`, "\"</textarea>\u202e\"", 1),
	}
	var records []audit.Record
	for _, request := range hostile {
		records = append(records, refusal(request))
	}
	c.withTrail(t, records...)
	for i := range hostile {
		page := c.open(t, http.MethodGet, string(rune('0'+i)))
		if strings.Contains(page, "<script>alert") || strings.ContainsAny(page, "\u202e\u2066\x00") || strings.Count(page, "</textarea>") != 1 {
			t.Errorf("%d: %s", i, page)
		}
	}
}
