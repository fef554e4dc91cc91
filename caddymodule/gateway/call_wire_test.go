package gateway_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// packed compresses a message.
func packed(t *testing.T, message string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, message); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHowACallTravels: whatever way it comes, the service gets one request in JSON, whole, and
// nothing of the envelope. What could be read in two ways goes nowhere.
func TestHowACallTravels(t *testing.T) {
	var odd atomic.Value
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.ContentLength != int64(len(body)) || len(r.TransferEncoding)+len(r.Trailer) > 0 || r.Header.Get("SOAPAction") != "" ||
			r.Header.Get("Content-Type") != "application/json" || r.URL.RequestURI() != "/api/wsfev1/FECompUltimoAutorizado" || !bytes.HasPrefix(body, []byte(`{"Auth":`)) {
			odd.Store(r.URL.String() + " " + string(body))
		}
		caddytest.Answering(200, `{"PtoVta":1,"CbteTipo":6,"CbteNro":7}`)(w, r)
	})
	s := startHTTP2(t, caddytest.ProxyTo(upstream.URL))
	message := s.Message(soap.V11, "FECompUltimoAutorizado", lastCall)
	body := strings.Split(strings.TrimSuffix(message, "</soap:Body></soap:Envelope>"), "<soap:Body>")[1]
	clients := map[string]*http.Client{"HTTP/1": caddytest.Client, "HTTP/2": http2Client(t, nil), "waiting": {
		Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute},
	}}
	for name, test := range map[string]struct {
		message string
		change  func(*http.Request)
		status  int
	}{
		"plain":                     {message, func(*http.Request) {}, 200},
		"in pieces":                 {message, func(r *http.Request) { r.ContentLength = -1; r.Body = io.NopCloser(strings.NewReader(message)) }, 200},
		"Expect":                    {message, func(r *http.Request) { r.Header.Set("Expect", "100-continue") }, 200},
		"a trailer":                 {message, func(r *http.Request) { r.ContentLength = -1; r.Trailer = http.Header{"Soapaction": {"x"}} }, 200},
		"the page's address":        {message, func(r *http.Request) { r.URL.RawQuery = "op=FECAESolicitar" }, 200},
		"compressed":                {packed(t, message), func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, 415},
		"compressed in secret":      {packed(t, message), func(*http.Request) {}, 400},
		"of several parts":          {"--x\r\n\r\n" + message + "\r\n--x--", func(r *http.Request) { r.Header.Set("Content-Type", "multipart/related; boundary=x") }, 415},
		"parts in secret":           {"--x\r\n\r\n" + message + "\r\n--x--", func(*http.Request) {}, 400},
		"two media types":           {message, func(r *http.Request) { r.Header["Content-Type"] = []string{"text/xml", "application/json"} }, 415},
		"two messages":              {message + message, func(*http.Request) {}, 400},
		"two operations":            {strings.Replace(message, body, body+body, 1), func(*http.Request) {}, 500},
		"two Bodies":                {strings.Replace(message, "</soap:Envelope>", "<soap:Body/></soap:Envelope>", 1), func(*http.Request) {}, 500},
		"a Body of another version": {strings.NewReplacer("<soap:Body>", `<soap:Body xmlns:soap="`+soap.V12.Namespace()+`">`).Replace(message), func(*http.Request) {}, 500},
	} {
		for client, c := range clients {
			before := upstream.Hits.Load()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/wsfev1/service.asmx", strings.NewReader(test.message))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "text/xml")
			test.change(r)
			got, err := caddytest.TryWith(c, r)
			if err != nil || got.Status != test.status || (upstream.Hits.Load() > before) != (test.status == 200) || test.status == 200 && !strings.Contains(string(got.Body), "<CbteNro>7<") {
				t.Errorf("%s over %s: %v %d, want %d: %s", name, client, err, got.Status, test.status, got.Body)
			}
		}
	}
	if seen := odd.Load(); seen != nil {
		t.Errorf("the service got %s", seen)
	}
	stopCaddy(t, clients["HTTP/2"])
}
