package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestRefusalsSpeakTheErrorBody: whatever is refused before the rules has one
// form, a record, and never reaches the next handler.
func TestRefusalsSpeakTheErrorBody(t *testing.T) {
	const path = "/api/wsfev1/FECompTotXRequest"
	good := "{" + caddytest.AuthText + "}"
	for _, refusal := range []struct {
		name    string
		method  string
		path    string
		header  map[string]string
		body    string
		options string
		status  int
		code    string
		outcome string
		says    string
	}{
		{name: "unknown operation", path: "/api/wsfev1/FENada", status: 404, code: "http.operation"},
		{name: "wrong case of the operation", path: "/api/wsfev1/fedummy", status: 404, code: "http.operation", says: "¿Quiso decir FEDummy?"},
		{name: "another path", path: "/", status: 404, code: "http.operation"},
		{name: "path below an operation", path: path + "/more", status: 404, code: "http.operation"},
		{name: "a letter of the operation missing", path: "/api/wsfev1/FECAESolicitr", status: 404, code: "http.operation", says: "¿Quiso decir FECAESolicitar?"},
		{name: "slash after the operation", path: path + "/", status: 404, code: "http.operation", says: "¿Quiso decir FECompTotXRequest?"},
		{name: "operation behind escapes", path: "/api/wsfev1/FE%44ummy", status: 404, code: "http.operation"},
		{name: "extension outside the base contract", path: "/api/wsfev1/FECAEAConsultar", options: "contract base", status: 404, code: "http.operation"},
		{name: "GET", method: "GET", status: 405, code: "http.method"},
		{name: "query", path: path + "?Token=secretQ", status: 400, code: "http.query", says: "todo va en el cuerpo"},
		{name: "query, whatever is in it", path: path + "?x", status: 400, code: "http.query"},
		{name: "PUT", method: "PUT", status: 405, code: "http.method"},
		{name: "no media type", header: map[string]string{"Content-Type": ""}, status: 415, code: "http.media_type"},
		{name: "another media type", header: map[string]string{"Content-Type": "text/xml"}, status: 415, code: "http.media_type"},
		{name: "another charset", header: map[string]string{"Content-Type": "application/json; charset=latin1"}, status: 415, code: "http.media_type"},
		{name: "content coding", header: map[string]string{"Content-Encoding": "gzip"}, status: 415, code: "http.content_coding"},
		{name: "too large", body: `{"Auth":"` + strings.Repeat("x", 2000) + `"}`, options: "max_body 1KiB", status: 413, code: "http.body_too_large"},
		{name: "CUIT of somebody else", options: "cuits 30000000007", status: 403, code: "http.cuit"},
		{name: "no JSON", body: "<xml/>", status: 400, code: "shape.syntax", outcome: "malformed"},
		{name: "empty body", body: " ", status: 400, code: "shape.syntax", outcome: "malformed"},
		{name: "missing member", body: `{}`, status: 400, code: "shape.missing", outcome: "malformed"},
	} {
		t.Run(refusal.name, func(t *testing.T) {
			upstream := caddytest.NewStub(t, caddytest.Answering(200, "{}"))
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), refusal.options)
			r := s.Request(t.Context(), "", "")
			r.Method = "POST"
			if refusal.method != "" {
				r.Method = refusal.method
			}
			body := good
			if refusal.body != "" {
				body = refusal.body
			}
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			url := path
			if refusal.path != "" {
				url = refusal.path
			}
			r.URL, _ = r.URL.Parse(url)
			for name, value := range refusal.header {
				if r.Header.Set(name, value); value == "" {
					r.Header.Del(name)
				}
			}
			got := s.Do(r)
			if got.Status != refusal.status {
				t.Errorf("status %d, want %d", got.Status, refusal.status)
			}
			if !strings.Contains(string(got.Body), refusal.says) {
				t.Errorf("%s does not say %s", got.Body, refusal.says)
			}
			if codes := got.Codes(t); len(codes) != 1 || codes[0] != refusal.code {
				t.Errorf("codes %v, want %s", codes, refusal.code)
			}
			if refusal.status == 405 && got.Header.Get("Allow") != "POST" {
				t.Errorf("Allow: %q", got.Header.Get("Allow"))
			}
			if upstream.Hits.Load() != 0 {
				t.Error("it reached the upstream")
			}
			want := refusal.outcome
			if want == "" {
				want = "inadmissible"
			}
			record := s.Last()
			if string(record.Outcome) != want || record.Decision != "refuse" || record.Status != refusal.status || record.Kind != audit.KindExchange {
				t.Errorf("recorded %+v", record)
			}
		})
	}
}

// TestBodyOfUnknownLengthIsLimitedToo: a chunked body says nothing of its length.
func TestBodyOfUnknownLengthIsLimitedToo(t *testing.T) {
	s := caddytest.Start(t, "respond ok", "max_body 1KiB")
	r := s.Request(t.Context(), "FECompTotXRequest", "")
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", 4000))), -1
	if got := s.Do(r); got.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d: %s", got.Status, got.Body)
	}
}

// TestAllFindingsOfShapeAreAnswered: one answer names every place.
func TestAllFindingsOfShapeAreAnswered(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	got := s.Post("FECompConsultar", `{"Auth":{"Token":1,"sign":"x","Cuit":20111111112},"FeCompConsReq":{"CbteTipo":"6","CbteNro":1.5},"X":0}`)
	if got.Status != 400 {
		t.Fatalf("status %d", got.Status)
	}
	for _, want := range []string{
		"/Auth/Token: ", "/Auth/sign: ", "/FeCompConsReq/CbteTipo: ", "/FeCompConsReq/CbteNro: ", "/FeCompConsReq/PtoVta: ", "/X: ",
	} {
		if !strings.Contains(string(got.Body), want) {
			t.Errorf("no finding at %s in %s", want, got.Body)
		}
	}
	if n := len(got.Codes(t)); n != 6 {
		t.Errorf("%d findings, want 6: %s", n, got.Body)
	}
}

// TestRulesAnswerAsTheServiceDoes: HTTP 200, Resultado R, the codes in
// Observaciones or Errors; and nothing is issued.
func TestRulesAnswerAsTheServiceDoes(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	got := s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":121.02`, 1))
	detail := "/FeDetResp/FECAEDetResponse/0"
	if got.Status != 200 || got.At(t, "/FeCabResp/Resultado") != `"R"` || got.At(t, detail+"/Resultado") != `"R"` ||
		got.At(t, detail+"/CAE") != `""` || got.At(t, detail+"/Observaciones/Obs/0/Code") != "10048" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if message := got.At(t, detail+"/Observaciones/Obs/0/Msg"); !strings.Contains(message, "121,00") || !strings.Contains(message, "121,02") {
		t.Errorf("the message does not explain: %s", message)
	}
	got = s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"CantReg":1`, `"CantReg":2`, 1))
	if got.At(t, "/Errors/Err/0/Code") != "10002" || got.At(t, "/FeCabResp/Resultado") != `"R"` {
		t.Errorf("%s", got.Body)
	}
	if upstream.Hits.Load() != 0 {
		t.Error("a refused invoice went upstream")
	}
	if record := s.Last(); record.Outcome != "refused" || record.Findings[0].Code != "10002" || record.Findings[0].Action != "refuse" {
		t.Errorf("recorded %+v", record)
	}
}

// TestObserveForwardsWhatRulesFind.
func TestObserveForwardsWhatRulesFind(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "mode observe")
	got := s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":150`, 1))
	if string(got.Body) != caddytest.Approval || upstream.Hits.Load() != 1 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if f := s.Last().Findings; len(f) != 1 || f[0].Code != "10048" || f[0].Action != "observe" || f[0].Got != "150.00" ||
		f[0].Difference != "29" {
		t.Errorf("findings %+v", f)
	}
}
