package caddymodule_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// administered is a site with an admin API.
type administered struct {
	*site
	admin string
}

// startAdministered is start with an admin API. configure puts a Caddyfile through
// once more before it is loaded; nil leaves it as it is.
func startAdministered(t *testing.T, next string, configure func(string) string, options ...string) *administered {
	t.Helper()
	s := &administered{site: start(t, "respond ok"), admin: freeAddress(t)}
	t.Cleanup(func() { s.load("{\n admin off\n persist_config off\n}\n") }) // or its admin API would stay
	s.reload(next, configure, options...)
	return s
}

// reload replaces the configuration.
func (s *administered) reload(next string, configure func(string) string, options ...string) {
	s.t.Helper()
	caddyfile := s.withAdmin(s.config(s.withAudit(options...), next))
	if configure != nil {
		caddyfile = configure(caddyfile)
	}
	s.load(caddyfile)
}

// withAdmin turns the admin API on in a Caddyfile of the tests.
func (s *administered) withAdmin(caddyfile string) string {
	return strings.Replace(caddyfile, "admin off", "admin "+s.admin+" {\n\t\torigins "+s.admin+"\n\t}", 1)
}

// ask sends a request to the admin API.
func (s *administered) ask(method, path, body string) response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.admin+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	return s.do(r)
}

// administer gives a site that runs an admin API.
func administer(t *testing.T, s *site, options, next string) *administered {
	t.Helper()
	a := &administered{site: s, admin: freeAddress(t)}
	t.Cleanup(func() { a.load("{\n admin off\n persist_config off\n}\n") })
	a.load(a.withAdmin(a.config(options, next)))
	return a
}

const logReads = trailOption + "log_reads"

// readsLogged is a gateway that writes down who reads its trail.
func readsLogged(t *testing.T) *administered {
	t.Helper()
	next := withBackend(t)
	s := start(t, next)
	a := administer(t, s, s.withAudit(logReads), next)
	s.post("FECAESolicitar", invoice(1))
	return a
}

// accesses returns the records of access.
func (s *site) accesses() (all []*audit.Record) {
	for _, r := range s.records() {
		if r.Kind == audit.KindAccess {
			all = append(all, r)
		}
	}
	return all
}
