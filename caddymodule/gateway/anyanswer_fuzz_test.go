package gateway_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// FuzzAnswer has the service answer anything, with any status, to each operation: the client
// gets an answer, it has a record, and nothing panics. Answers to what changes something are
// looked into with questions, which are answered with the same.
func FuzzAnswer(f *testing.F) {
	for i, op := range wsfev1.Operations {
		text, err := json.Marshal(sampleOf(op.Answer))
		if err != nil {
			f.Fatal(err)
		}
		for _, number := range []string{"1", "1e400", "0.001", "100.00000000000001", "-1"} {
			f.Add(byte(i), 200, []byte(strings.ReplaceAll(string(text), ":1", ":"+number)))
		}
		f.Add(byte(i), 400, []byte(`{"Errors":{"Err":[{"Code":"10016","Msg":""}]}}`))
		f.Add(byte(i), 500, []byte(`<html>`))
	}
	f.Add(byte(0), 200, []byte(caddytest.Approval))
	f.Add(byte(2), 200, []byte(consulted("1")))
	var answer atomic.Pointer[func(http.ResponseWriter, *http.Request)]
	u := caddytest.NewStub(f, func(w http.ResponseWriter, r *http.Request) { (*answer.Load())(w, r) })
	s := caddytest.Start(f, caddytest.ProxyTo(u.URL), "recover within 10ms", "replay on")
	server, before := s.Server(), s.Metric("wsfev1_panics_total")
	f.Cleanup(func() {
		if after := s.Metric("wsfev1_panics_total"); after != before {
			f.Errorf("panics: %s, then %s", before, after)
		}
	})
	bodies := map[string]string{}
	for path, example := range examples(f) {
		body, err := json.Marshal(example)
		if err != nil {
			f.Fatal(err)
		}
		bodies[path] = string(body)
	}
	f.Fuzz(func(t *testing.T, index byte, status int, text []byte) {
		op := wsfev1.Operations[int(index)%len(wsfev1.Operations)]
		handle := func(w http.ResponseWriter, r *http.Request) {
			caddytest.Answering(200+status%400&^1, string(text))(w, r)
		}
		answer.Store(&handle)
		// Each invoice is of a series of its own: one that stays open closes it.
		body := strings.Replace(bodies[wsfev1.PathPrefix+op.Name], `"PtoVta":1,`, `"PtoVta":`+strconv.Itoa(1+int(u.Hits.Load()%99998))+",", 1)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+wsfev1.PathPrefix+op.Name, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code < 200 || w.Header().Get("Wsfev1-Record") == "" || strings.Contains(w.Body.String(), `"Code":"internal"`) && !strings.Contains(string(text), "internal") {
			t.Fatalf("%s: %d %v %s", op.Name, w.Code, w.Header(), w.Body)
		}
	})
}
