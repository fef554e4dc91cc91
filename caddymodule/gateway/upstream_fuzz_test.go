package gateway_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// FuzzAnswerInSOAP is FuzzAnswer for a service that speaks SOAP, and for clients of each form.
func FuzzAnswerInSOAP(f *testing.F) {
	for i, op := range wsfev1.Operations {
		text, err := json.Marshal(sampleOf(op.Answer))
		if err != nil {
			f.Fatal(err)
		}
		typed := op.NewAnswer()
		validate.DecodeAnswer(op.Answer, text, typed)
		for _, version := range soapVersions {
			message, err := soap.AppendAnswer(nil, version, op, typed, soap.Info{Ambiente: "Prueba"})
			if err != nil {
				f.Fatal(err)
			}
			for n, number := range []string{"1", "1e400", "0.001", "-1", "", "x<!-- -->", "&#1;", "<a/>"} {
				if (n+i)%testrun.Full(f, 4, 1) > 0 {
					continue // below FIELATO_TEST_LONG=1 an operation has two of them
				}
				f.Add(byte(i), byte(i), 200, []byte(strings.ReplaceAll(string(message), ">1<", ">"+number+"<")))
			}
			f.Add(byte(i), byte(i), 500, soap.AppendFault(nil, version, soap.Fault{Code: soap.Client, Text: "no"}))
		}
		f.Add(byte(i), byte(i), 400, []byte(nil))
		f.Add(byte(i), byte(i), 200, text)
	}
	var answer atomic.Pointer[func(http.ResponseWriter, *http.Request)]
	u := caddytest.NewStub(f, func(w http.ResponseWriter, r *http.Request) { (*answer.Load())(w, r) })
	s := caddytest.Start(f, toSOAP(u.URL), "recover within 10ms", "replay on")
	server, before := s.Server(), s.Metric("wsfev1_panics_total")
	f.Cleanup(func() {
		if after := s.Metric("wsfev1_panics_total"); after != before {
			f.Errorf("panics: %s, then %s", before, after)
		}
	})
	bodies := map[string][3]string{} // in JSON and in both versions of SOAP
	for path, example := range examples(f) {
		body, err := json.Marshal(example)
		if err != nil {
			f.Fatal(err)
		}
		name := strings.TrimPrefix(path, wsfev1.PathPrefix)
		bodies[name] = [3]string{string(body), s.Message(soap.V11, name, string(body)), s.Message(soap.V12, name, string(body))}
	}
	f.Fuzz(func(t *testing.T, index, form byte, status int, text []byte) {
		op := wsfev1.Operations[int(index)%len(wsfev1.Operations)]
		handle := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/xml")
			w.WriteHeader(200 + status%400&^1)
			_, _ = w.Write(text)
		}
		answer.Store(&handle)
		path, media := wsfev1.PathPrefix+op.Name, "application/json"
		if form%3 > 0 {
			path, media = "/wsfev1/service.asmx", soap.Version(form%3-1).MediaType()
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(bodies[op.Name][form%3]))
		r.Header.Set("Content-Type", media)
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code < 200 || w.Header().Get("Wsfev1-Record") == "" || strings.Contains(w.Body.String(), "internal") && !strings.Contains(string(text), "internal") {
			t.Fatalf("%s: %d %v %s", op.Name, w.Code, w.Header(), w.Body)
		}
	})
}

// TestAnswersInSOAPTakeBoundedMemory, however many come at once and however large they are.
func TestAnswersInSOAPTakeBoundedMemory(t *testing.T) {
	clients := testrun.Whole(t, 48, 120)
	size := testrun.Whole[int64](t, 1<<20, 2<<20)
	most := uint64(32 * size)
	for name, c := range map[string]struct{ begin, item string }{
		"text": {"<Errors><Err><Code>1</Code><Msg>", "x"}, "many items": {"<ResultGet>", "<PtoVenta/>"},
	} {
		t.Run(name, func(t *testing.T) {
			begin := `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>` +
				`<FEParamGetPtosVentaResponse xmlns="http://ar.gov.afip.dif.FEV1/"><FEParamGetPtosVentaResult>` + c.begin
			var announced atomic.Int64
			upstream := caddytest.NewStub(t, func(w http.ResponseWriter, _ *http.Request) {
				if announced.Add(1)%2 == 0 {
					w.Header().Set("Content-Length", strconv.FormatInt(int64(len(begin))+size*3/4, 10))
				}
				_, _ = io.WriteString(w, begin)
				_, _ = io.CopyN(w, &endless{[]byte(strings.Repeat(c.item, 1<<10))}, size*3/4)
			})
			s := caddytest.Start(t, toSOAP(upstream.URL), "in_flight wait 2m", "cache off", fmt.Sprint("max_answer ", size), fmt.Sprint("max_answers ", size))
			server := s.Server()
			grown := heapDuring(func() {
				done := make(chan struct{}, clients)
				for range clients {
					go func() {
						defer func() { done <- struct{}{} }()
						r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/wsfev1/FEParamGetPtosVenta", strings.NewReader("{"+caddytest.AuthText+"}"))
						r.Header.Set("Content-Type", "application/json")
						server.ServeHTTP(discarding{http.Header{}}, r)
					}()
				}
				for range clients {
					<-done
				}
			})
			if t.Logf("%d kB at most", grown>>10); grown > most {
				t.Errorf("%d kB of memory, the limit is %d kB", grown>>10, most>>10)
			}
		})
	}
}
