package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// ending is one way in which a service ends an issuing request.
type ending struct {
	kind        outcome.Kind
	status      int
	media, body string
}

// word is in every answer of an ending that says why it refuses.
const word = "motivo-0815"

const (
	soap11 = `http://schemas.xmlsoap.org/soap/envelope/`
	soap12 = `http://www.w3.org/2003/05/soap-envelope`
)

func envelopeOf(space, body string) string {
	return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="` + space + `"><soap:Body>` + body + `</soap:Body></soap:Envelope>`
}

func faultOf(code string) string {
	return envelopeOf(soap11, `<soap:Fault><faultcode>soap:`+code+`</faultcode><faultstring>`+word+`</faultstring><detail /></soap:Fault>`)
}

func faultOf12(codes string) string {
	return envelopeOf(soap12, `<soap:Fault><soap:Code>`+codes+`</soap:Code><soap:Reason><soap:Text xml:lang="en">`+word+`</soap:Text></soap:Reason></soap:Fault>`)
}

func resultOf(inner string) string {
	return envelopeOf(soap11, `<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FECAESolicitarResult>`+inner+`</FECAESolicitarResult></FECAESolicitarResponse>`)
}

func errorsOf(codes ...int) string {
	var list strings.Builder
	for _, code := range codes {
		fmt.Fprintf(&list, `<Err><Code>%d</Code><Msg>%s</Msg></Err>`, code, word)
	}
	return resultOf(`<Errors>` + list.String() + `</Errors>`)
}

// rejectionInSOAP rejects caddytest.Invoice(1).
func rejectionInSOAP(more string) string {
	return resultOf(`<FeCabResp><Cuit>20111111112</Cuit><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo><CantReg>1</CantReg><Resultado>R</Resultado></FeCabResp>` +
		`<FeDetResp><FECAEDetResponse><Concepto>1</Concepto><DocTipo>99</DocTipo><DocNro>0</DocNro><CbteDesde>1</CbteDesde><CbteHasta>1</CbteHasta><Resultado>R</Resultado>` +
		more + `</FECAEDetResponse></FeDetResp>`)
}

const xmlMedia = "text/xml; charset=utf-8"

var endingsInSOAP = map[string]ending{
	"R with a CAE":                {outcome.Unread, 200, xmlMedia, rejectionInSOAP(`<CAE>76470000000009</CAE><CAEFchVto>20261203</CAEFchVto>`)},
	"A with NULL as CAE":          {outcome.Unread, 200, xmlMedia, strings.ReplaceAll(rejectionInSOAP(`<CAE>NULL</CAE>`), "<Resultado>R<", "<Resultado>A<")},
	"A with a blank CAE":          {outcome.Unread, 200, xmlMedia, strings.ReplaceAll(rejectionInSOAP(`<CAE> </CAE>`), "<Resultado>R<", "<Resultado>A<")},
	"600":                         {outcome.Unauthenticated, 200, xmlMedia, errorsOf(600)},
	"601":                         {outcome.Unauthenticated, 200, xmlMedia, errorsOf(601)},
	"10000":                       {outcome.Documented, 200, xmlMedia, errorsOf(10000)},
	"10016":                       {outcome.Disputable, 200, xmlMedia, errorsOf(10016)},
	"703, of an invoice":          {outcome.Disputable, 200, xmlMedia, rejectionInSOAP(`<Observaciones><Obs><Code>703</Code><Msg>` + word + `</Msg></Obs></Observaciones>`)},
	"R with its reason":           {outcome.Rejecting, 200, xmlMedia, rejectionInSOAP(`<Observaciones><Obs><Code>10015</Code><Msg>` + word + `</Msg></Obs></Observaciones>`)},
	"602":                         {outcome.Undocumented, 200, xmlMedia, errorsOf(602)},
	"503, of its own":             {outcome.Undocumented, 200, xmlMedia, errorsOf(503)},
	"15008, of another operation": {outcome.Undocumented, 200, xmlMedia, errorsOf(15008)},
	"10000 and an unknown code":   {outcome.Undocumented, 200, xmlMedia, errorsOf(10000, 99999)},
	"500":                         {outcome.Failing, 200, xmlMedia, errorsOf(500)},
	"501":                         {outcome.Failing, 200, xmlMedia, errorsOf(501)},
	"502":                         {outcome.Failing, 200, xmlMedia, errorsOf(502)},
	"10000 and 501":               {outcome.Failing, 200, xmlMedia, errorsOf(10000, 501)},
	"Client":                      {outcome.MessageRefused, 500, xmlMedia, faultOf("Client")},
	"Client, as 400":              {outcome.MessageRefused, 400, xmlMedia, faultOf("Client")},
	"Client.Authentication":       {outcome.MessageRefused, 500, xmlMedia, faultOf("Client.Authentication")},
	"MustUnderstand":              {outcome.MessageRefused, 500, xmlMedia, faultOf("MustUnderstand")},
	"VersionMismatch":             {outcome.MessageRefused, 500, xmlMedia, faultOf("VersionMismatch")},
	"Sender":                      {outcome.MessageRefused, 400, "application/soap+xml", faultOf12(`<soap:Value>soap:Sender</soap:Value>`)},
	"Sender with a subcode":       {outcome.MessageRefused, 500, "application/soap+xml", faultOf12(`<soap:Value>soap:Sender</soap:Value><soap:Subcode><soap:Value>soap:Bad</soap:Value></soap:Subcode>`)},
	"an unread position": {outcome.MessageRefused, 500, xmlMedia, strings.Replace(faultOf("Client"), word,
		"Server was unable to read request. ---&gt; There is an error in XML document (1, 309). "+word, 1)},
	"400, empty":          {outcome.BareBadRequest, 400, "", ""},
	"Server":              {outcome.Unread, 500, xmlMedia, faultOf("Server")},
	"Receiver":            {outcome.Unread, 500, "application/soap+xml", faultOf12(`<soap:Value>soap:Receiver</soap:Value>`)},
	"no known code":       {outcome.Unread, 500, xmlMedia, faultOf("Strange")},
	"Client, as 200":      {outcome.Unread, 200, xmlMedia, faultOf("Client")},
	"Client, as 503":      {outcome.Unread, 503, xmlMedia, faultOf("Client")},
	"400, with a page":    {outcome.Unread, 400, "text/html", "<html>bad request</html>"},
	"400, a JSON body":    {outcome.Unread, 400, "application/json", `{"Errors":{"Err":[{"Code":"x","Msg":"no"}]}}`},
	"401":                 {outcome.Unread, 401, "text/html", "<html>login</html>"},
	"403":                 {outcome.Unread, 403, "text/html", "<html>Request Rejected</html>"},
	"404":                 {outcome.Unread, 404, "", ""},
	"405":                 {outcome.Unread, 405, "", ""},
	"413":                 {outcome.Unread, 413, "text/html", "<html>too large</html>"},
	"415":                 {outcome.Unread, 415, "", ""},
	"429":                 {outcome.Unread, 429, "", ""},
	"200, empty":          {outcome.Unread, 200, "", ""},
	"500, empty":          {outcome.Unread, 500, "", ""},
	"HTML":                {outcome.Unread, 200, "text/html", "<html>mantenimiento</html>"},
	"a page, as 502":      {outcome.Unread, 502, "text/html", "<html>bad gateway</html>"},
	"a redirect":          {outcome.Unread, 302, "text/html", ""},
	"JSON":                {outcome.Unread, 200, "application/json", caddytest.Approval},
	"another operation's": {outcome.Unread, 200, xmlMedia, envelopeOf(soap11, `<FEDummyResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FEDummyResult><AppServer>OK</AppServer></FEDummyResult></FEDummyResponse>`)},
	"no result":           {outcome.Unread, 200, xmlMedia, envelopeOf(soap11, `<FECAESolicitarResponse xmlns="http://ar.gov.afip.dif.FEV1/" />`)},
	"an empty result":     {outcome.Unread, 200, xmlMedia, resultOf("")},
	"a DOCTYPE":           {outcome.Unread, 200, xmlMedia, `<!DOCTYPE a>` + errorsOf(600)},
	"an answer, as 500":   {outcome.Unread, 500, xmlMedia, errorsOf(600)},
	"text behind it":      {outcome.Unread, 200, xmlMedia, errorsOf(600) + "x"},
}

func errorsInJSON(codes ...int) string {
	var list []string
	for _, code := range codes {
		list = append(list, fmt.Sprintf(`{"Code":%d,"Msg":%q}`, code, word))
	}
	return `{"Errors":{"Err":[` + strings.Join(list, ",") + `]}}`
}

const errorBody = `{"Errors":{"Err":[{"Code":"a.code","Msg":"` + word + `"}]}}`

func rejectionInJSON(more string) string {
	return `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"CantReg":1,"Resultado":"R"},"FeDetResp":{"FECAEDetResponse":[` +
		`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"Resultado":"R"` + more + `}]}}`
}

// approvalWithErrors is an approval of caddytest.Invoice(1) that refuses it too.
var approvalWithErrors = strings.TrimSuffix(caddytest.Approval, "}") + `,"Errors":{"Err":[{"Code":600,"Msg":"x"}]}}`

const jsonMedia = "application/json"

var endingsInJSON = map[string]ending{
	"R with a CAE":              {outcome.Unread, 200, jsonMedia, rejectionInJSON(`,"CAE":"76470000000009"`)},
	"A with zeros as CAE":       {outcome.Unread, 200, jsonMedia, strings.ReplaceAll(rejectionInJSON(`,"CAE":"00000000000000"`), `"Resultado":"R"`, `"Resultado":"A"`)},
	"A with a letter in it":     {outcome.Unread, 200, jsonMedia, strings.ReplaceAll(rejectionInJSON(`,"CAE":"7647000000000x"`), `"Resultado":"R"`, `"Resultado":"A"`)},
	"R and then A":              {outcome.Unread, 200, jsonMedia, strings.Replace(rejectionInJSON(`,"CAE":""`), `"Resultado":"R","`, `"Resultado":"R","Resultado":"A","`, 1)},
	"R, and resultado":          {outcome.Unread, 200, jsonMedia, rejectionInJSON(`,"resultado":"A","cae":"76470000000009"`)},
	"A and Errors":              {outcome.Unread, 200, jsonMedia, approvalWithErrors},
	"600":                       {outcome.Unauthenticated, 200, jsonMedia, errorsInJSON(600)},
	"10000":                     {outcome.Documented, 200, jsonMedia, errorsInJSON(10000)},
	"10016":                     {outcome.Disputable, 200, jsonMedia, errorsInJSON(10016)},
	"10016, of an invoice":      {outcome.Disputable, 200, jsonMedia, rejectionInJSON(`,"Observaciones":{"Obs":[{"Code":10016,"Msg":"` + word + `"}]}`)},
	"R with its reason":         {outcome.Rejecting, 200, jsonMedia, rejectionInJSON(`,"Observaciones":{"Obs":[{"Code":10015,"Msg":"` + word + `"}]}`)},
	"R without any":             {outcome.Disputable, 200, jsonMedia, rejectionInJSON("")},
	"602":                       {outcome.Undocumented, 200, jsonMedia, errorsInJSON(602)},
	"0":                         {outcome.Undocumented, 200, jsonMedia, errorsInJSON(0)},
	"10000 and an unknown code": {outcome.Undocumented, 200, jsonMedia, errorsInJSON(10000, 99999)},
	"500":                       {outcome.Failing, 200, jsonMedia, errorsInJSON(500)},
	"502":                       {outcome.Failing, 200, jsonMedia, errorsInJSON(502)},
	"400 and an error body":     {outcome.ErrorBody, 400, jsonMedia, errorBody},
	"401 and an error body":     {outcome.ErrorBody, 401, jsonMedia, errorBody},
	"409 and an error body":     {outcome.ErrorBody, 409, jsonMedia, errorBody},
	"413 and an error body":     {outcome.ErrorBody, 413, jsonMedia, errorBody},
	"422 and an error body":     {outcome.ErrorBody, 422, jsonMedia, errorBody},
	"429 and an error body":     {outcome.ErrorBody, 429, jsonMedia, errorBody},
	"500 and an error body":     {outcome.Unread, 500, jsonMedia, errorBody},
	"503 and an error body":     {outcome.Unread, 503, jsonMedia, errorBody},
	"200 and an error body":     {outcome.Undocumented, 200, jsonMedia, errorBody},
	"302 and an error body":     {outcome.Unread, 302, jsonMedia, errorBody},
	"400, empty":                {outcome.Unread, 400, "", ""},
	"400, with a page":          {outcome.Unread, 400, "text/html", "<html>bad request</html>"},
	"400, with errors":          {outcome.Unread, 400, jsonMedia, errorsInJSON(10000)},
	"403":                       {outcome.Unread, 403, "text/html", "<html>Request Rejected</html>"},
	"404":                       {outcome.Unread, 404, jsonMedia, `{"message":"no Route matched"}`},
	"405":                       {outcome.Unread, 405, "", ""},
	"413":                       {outcome.Unread, 413, "text/html", "<html>too large</html>"},
	"415":                       {outcome.Unread, 415, "", ""},
	"429":                       {outcome.Unread, 429, "", ""},
	"500, empty":                {outcome.Unread, 500, "", ""},
	"a page, as 502":            {outcome.Unread, 502, "text/html", "<html>bad gateway</html>"},
	"200, empty":                {outcome.Unread, 200, jsonMedia, ""},
	"an empty object":           {outcome.Unread, 200, jsonMedia, "{}"},
	"204":                       {outcome.Unread, 204, "", ""},
}

// TestEveryKindOfEndIsTried: each that can come in an answer, and in both forms where it can.
func TestEveryKindOfEndIsTried(t *testing.T) {
	for _, reading := range outcome.Readings {
		inSOAP, inJSON := false, false
		for _, e := range endingsInSOAP {
			inSOAP = inSOAP || e.kind == reading.Kind
		}
		for _, e := range endingsInJSON {
			inJSON = inJSON || e.kind == reading.Kind
		}
		switch reading.Kind {
		case outcome.Unconnected, outcome.Unfinished, outcome.Fitting: // other tests have these
		case outcome.MessageRefused, outcome.BareBadRequest:
			inJSON = true
			fallthrough
		default:
			if inSOAP = inSOAP || reading.Kind == outcome.ErrorBody; !inSOAP || !inJSON {
				t.Errorf("%s: in SOAP %t, in JSON %t", reading.What, inSOAP, inJSON)
			}
		}
	}
}

// check checks the answer that the client gets of a service that has ended its request so, with or without
// carrying it out, and the answer to the same request again.
func (e *trial) check(t *testing.T, got caddytest.Response) {
	t.Helper()
	reading, commits, hits := outcome.ReadingOf(e.kind), e.commits, e.hits
	want := "rejected"
	if reading.Proof == outcome.ProvesNothing {
		want = map[bool]string{true: "recovered", false: "not_issued"}[commits]
	} else if reading.Checked && commits {
		want = "recovered"
	}
	if told := got.Header.Get("Wsfev1-Outcome"); told != want {
		t.Errorf("%s, want %s: %d\n%s", told, want, got.Status, got.Body)
	}
	asked := hits() > 1
	if asked != (reading.Proof == outcome.ProvesNothing || reading.Checked) {
		t.Errorf("asked: %t, %d requests", asked, hits())
	}
	if (reading.Ended || reading.Checked) && !commits && hits() != 2 {
		t.Errorf("%d requests, want one question", hits())
	}
	if told := strings.Contains(string(got.Body), word); !commits && strings.Contains(e.body, word) && told != (reading.Refuses || reading.Checked || !asked) {
		t.Errorf("the client gets the service's words: %t\n%d %s", told, got.Status, got.Body)
	}
	if !commits && reading.Refuses && got.Status == http.StatusBadGateway {
		t.Errorf("the client gets another status: %d %s", got.Status, got.Body)
	}
	again := e.call()
	if code := e.codeOf(t, again); commits && code != e.codeOf(t, got) {
		t.Errorf("the invoice has two codes:\n%s\n%s", got.Body, again.Body)
	}
}

// TestCertaintyOfAnswersInJSON is the brother of TestCertaintyOfAnswersInSOAP: the service speaks JSON.
func TestCertaintyOfAnswersInJSON(t *testing.T) {
	eachEnding(t, endingsInJSON, func(s *caddytest.Site, e *trial) {
		behind := caddytest.FreeAddress(t)
		service := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: behind})
		var failed atomic.Bool
		upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
			r.Host = behind
			if !strings.HasSuffix(r.URL.Path, "/FECAESolicitar") || failed.Swap(true) {
				service.ServeHTTP(w, r)
				return
			}
			if e.commits {
				service.ServeHTTP(&discarding{http.Header{}}, r)
			}
			e.write(w)
		})
		e.next, e.more, e.hits = caddytest.ProxyTo(upstream.URL), caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), ""), upstream.Hits.Load
		e.call = func() caddytest.Response { return s.Post("FECAESolicitar", caddytest.Invoice(1)) }
		e.codeOf = func(t *testing.T, got caddytest.Response) string {
			code := got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE")
			if len(code) != len(`"76470000000009"`) {
				t.Errorf("no code: %d %s", got.Status, got.Body)
			}
			return code
		}
	})
}

func (e ending) write(w http.ResponseWriter) {
	if e.media != "" {
		w.Header().Set("Content-Type", e.media)
	}
	w.Header().Set("Location", "/elsewhere")
	w.WriteHeader(e.status)
	_, _ = w.Write([]byte(e.body))
}
