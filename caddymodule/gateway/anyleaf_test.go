package gateway_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/openapi"
	"github.com/fielato/fielato/internal/testrun"
)

// strange are values that may stand in any place of a request.
var strange = []string{
	"-1", "0", "-9223372036854775808", "9223372036854775807", "2147483648", "1e400", "1e-400", "1e99999999", "1" + strings.Repeat("0", 5000),
	`""`, `"` + strings.Repeat("9", 5000) + `"`, `"99991231"`, `"\u0000"`, "null", "true", "[]", "[{}]", "{}",
}

// eachStrange calls visit for each member and item of a document with each strange value. Below
// FIELATO_TEST_LONG=2 there is a third of them in each place, and each of them in a third of the places; below 1,
// a ninth.
func eachStrange(t *testing.T, document any, visit func(value string, set func(any), now any)) {
	t.Helper()
	every, place := testrun.Whole(t, testrun.Full(t, 9, 3), 1), 0
	eachPlace(document, func(set func(any), now any) {
		for i, value := range strange {
			if (i+place)%every == 0 {
				visit(value, set, now)
			}
		}
		place++
	})
}

// eachPlace calls visit for each member and item of a document, with what sets it.
func eachPlace(document any, visit func(set func(any), now any)) {
	switch d := document.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(d)) {
			value := d[name]
			visit(func(other any) { d[name] = other }, value)
			eachPlace(value, visit)
		}
	case []any:
		for i, value := range d {
			visit(func(other any) { d[i] = other }, value)
			eachPlace(value, visit)
		}
	}
}

// examples returns the requests of the interface's description, by operation.
func examples(t testing.TB) map[string]any {
	t.Helper()
	var description struct {
		Paths map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct{ Example any }
				}
			}
		}
	}
	if err := json.Unmarshal(openapi.Document, &description); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for path, item := range description.Paths {
		all[path] = item.Post.RequestBody.Content["application/json"].Example
	}
	return all
}

// enough is more processor time than any request of this test may take, also with the race
// detector and while the trail is busy with those before it.
const enough = 10 * time.Second

// TestAnythingMayStandAnywhere: whatever stands in whatever place of whatever request, there is
// an answer, a record, and no failure of the gateway's own.
func TestAnythingMayStandAnywhere(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "recover within 1s", "replay on", "mode observe", "cache 5m")
	server := s.Server()
	for path, example := range examples(t) {
		if example == nil {
			t.Errorf("%s has no example", path)
		}
		eachStrange(t, example, func(value string, set func(any), now any) {
			set(json.RawMessage(value))
			body, err := json.Marshal(example)
			set(now)
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(string(body)))
			r.Header.Set("Content-Type", "application/json")
			w, began := httptest.NewRecorder(), testrun.ProcessorTime()
			server.ServeHTTP(w, r)
			if took := testrun.ProcessorTime() - began; took > enough || w.Code >= 500 || w.Header().Get("Wsfev1-Record") == "" {
				t.Errorf("%s with %.40s: %d in %v: %.300s\n%.600s", path, value, w.Code, took, w.Body, body)
			}
		})
	}
}
