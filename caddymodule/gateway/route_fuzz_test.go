package gateway_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/wsfev1"
)

// FuzzRoute: of a path that is taken every reader reads the same operation, and it is sent as
// it came.
func FuzzRoute(f *testing.F) {
	for _, target := range shapes() {
		f.Add(target)
	}
	f.Add("/api/wsfev1/FEDummy")
	f.Add("/base/v1.2/api/wsfev1/FECAEASolicitar")
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		route, ok := binding.RouteOf(u)
		path, operation := route.Path(), route.Operation
		if !ok || wsfev1.OperationByName(operation) == nil {
			return
		}
		if path != u.Path || path != u.EscapedPath() || strings.Count(strings.ToLower(path), wsfev1.PathPrefix) != 1 {
			t.Fatalf("%q is sent as %q", target, path)
		}
		sent := &http.Request{RequestURI: path, URL: &url.URL{Path: path}}
		for reader, read := range readers {
			for _, name := range read(sent) {
				if op := namedLike(name); op != nil && op.Name != operation {
					t.Fatalf("%q is %s, and who reads %s finds %s", target, operation, reader, op.Name)
				}
			}
		}
		for _, reader := range []string{"the first prefix", "the last prefix", "cleaned", "the last segment"} {
			if names := readers[reader](sent); names[0] != operation {
				t.Fatalf("%q is %s, and who reads %s finds %s", target, operation, reader, names[0])
			}
		}
	})
}

// namedLike returns the operation that a lenient reader takes a name for, nil for none.
func namedLike(name string) *wsfev1.Operation {
	for _, op := range wsfev1.Operations {
		if strings.EqualFold(op.Name, name) {
			return op
		}
	}
	return nil
}
