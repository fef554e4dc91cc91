package caddymodule

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/openapi"
)

// checkOpenAPI refuses paths at which the document could not be had.
func (g *Gateway) checkOpenAPI() error {
	switch {
	case g.OpenAPI == "":
		return nil
	case !strings.HasPrefix(g.OpenAPI, "/"):
		return fmt.Errorf("openapi %q: give a path, such as /openapi.json", g.OpenAPI)
	case strings.HasPrefix(g.OpenAPI, wsfev1.PathPrefix):
		return fmt.Errorf("openapi %q: this is where the operations are: give another path, such as /openapi.json", g.OpenAPI)
	}
	return nil
}

// serveOpenAPI answers who asks for the description of the interface, and reports whether
// somebody did. That is no exchange: it has no record.
func (g *Gateway) serveOpenAPI(w http.ResponseWriter, r *http.Request) bool {
	if g.OpenAPI == "" || r.URL.Path != g.OpenAPI || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(openapi.Document))
	return true
}

func openapiCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "openapi",
		Short: "Prints the description of the whole interface as OpenAPI 3.1",
		Long: `
Prints the interface of the service as an OpenAPI 3.1 document in JSON: all operations, their
requests and answers, an example of each, and what the gateway adds. Clients can be
generated from it. The handler's option "openapi" serves the same document.`,
		Example: `  fielato wsfev1 openapi > openapi.json
  npx openapi-typescript openapi.json --output wsfev1.d.ts`,
		Args: cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := cmd.OutOrStdout().Write(openapi.Document)
		return err
	}
	return cmd
}
