package gateway

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/openapi"
	"github.com/fielato/fielato/wsfev1"
)

// checkOpenAPI refuses paths at which the document could not be served.
func (g *Gateway) checkOpenAPI() error {
	switch {
	case g.OpenAPI == "":
		return nil
	case !strings.HasPrefix(g.OpenAPI, "/") || strings.ContainsAny(g.OpenAPI, "?#"):
		return fmt.Errorf("openapi %q: give a path, such as /openapi.json", g.OpenAPI)
	case strings.EqualFold(g.OpenAPI, binding.SOAPPath):
		return fmt.Errorf("openapi %q: this is where the WSDL is: give another path, such as /openapi.json", g.OpenAPI)
	case strings.HasPrefix(g.OpenAPI, wsfev1.PathPrefix):
		return fmt.Errorf("openapi %q: this is where the operations are: give another path, such as /openapi.json", g.OpenAPI)
	}
	return nil
}

// serveOpenAPI answers a request for the OpenAPI document, and reports whether it was one. Such
// a request is not an exchange and has no record.
func (g *Gateway) serveOpenAPI(w http.ResponseWriter, r *http.Request) bool {
	if g.OpenAPI == "" || r.URL.Path != g.OpenAPI || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(openapi.Document))
	return true
}
