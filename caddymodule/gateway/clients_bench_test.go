package gateway_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

func init() {
	caddy.RegisterModule(proving{})
	httpcaddyfile.RegisterHandlerDirective("test_prove", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return proving{}, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_prove", httpcaddyfile.Before, "basic_auth")
}

// proving stands for an authentication that costs nothing: each request is the user customer-0.
type proving struct{}

func (proving) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_prove", New: func() caddy.Module { return new(proving) }}
}

func (proving) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer).Set("http.auth.user.id", "customer-0")
	return next.ServeHTTP(w, r)
}

// BenchmarkClients measures what a table of clients adds to an exchange of one invoice, without sockets, as
// BenchmarkSteps does: without a table, with one client, and with 10,000 that have every bound.
//
//	go test ./caddymodule/gateway -run '^$' -bench Clients -benchtime 30000x -count 3
func BenchmarkClients(b *testing.B) {
	for _, clients := range []int{0, 1, testrun.Scale(b, 100, 10_000)} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			caddytest.Silence(b)
			options := []string{"recover within 20s", "replay on"}
			if clients > 0 {
				var rows strings.Builder
				var issuers strings.Builder
				for lane := range caddytest.Connections {
					fmt.Fprintf(&issuers, " %d", caddytest.IssuerOf(2*lane))
				}
				for i := range clients {
					fmt.Fprintf(&rows, "customer-%d user customer-%[1]d cuits%s pto_vta 1 2 cbte_tipo 6 may issue query max_amount 30250000 rate 100000/s burst 100000 share 256\n",
						i, &issuers)
				}
				file := filepath.Join(b.TempDir(), "customers")
				if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
					b.Fatal(err)
				}
				options = append(options, "clients "+file)
			}
			steps(b, caddytest.Start(b, "test_prove\ntest_approve", options...), 1)
		})
	}
}
