package console

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/layout"
)

// ServeHTTP implements caddyhttp.MiddlewareHandler. A request for a path outside the console goes to the
// next handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	asked := layout.Below(r, c.site.Base)
	if asked == nil {
		return next.ServeHTTP(w, r)
	}
	site.SetSecurityHeaders(w.Header())
	c.nameReader(asked)
	switch {
	case !c.Public && site.ReaderOf(asked) == "" && !site.IsLocal(asked) && !c.site.Knows(asked):
		c.refused.Do(func() {
			c.site.Logger.Warn("the console was refused to another machine, as nothing says who reads: put authentication in front of it, or set public; the next ones are not logged")
		})
		c.site.ShowStranger(w, asked)
	case asked.URL.Path == c.site.Base:
		to := *asked.URL
		to.Path, to.RawPath = c.site.Base+"/", ""
		http.Redirect(w, asked, to.RequestURI(), http.StatusPermanentRedirect) //nolint:gosec // to the same path, with a slash
	default:
		c.site.ServeHTTP(w, asked)
	}
	return nil
}

// userKey is the placeholder in which Caddy's authentication leaves the name of the user.
const userKey = "http.auth.user.id"

// nameReader leaves the name that the option reader finds where Caddy's authentication would, so that the
// access log has it too.
func (c *Console) nameReader(r *http.Request) {
	repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if c.Reader == "" || !ok {
		return
	}
	if name := repl.ReplaceAll(c.Reader, ""); name != "" {
		repl.Set(userKey, name)
	}
}

// announcement logs where a console is, once its configuration runs.
type announcement struct {
	logger    *zap.Logger
	url, path string
}

// Start implements app.Task.
func (a *announcement) Start() {
	if a.url == "" {
		a.logger.Info("the console can be opened in a browser", zap.String("path", a.path))
		return
	}
	a.logger.Info("the console can be opened in a browser", zap.String("url", a.url))
}

// Stop implements app.Task.
func (*announcement) Stop() {}
