package caddytest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// Administered is a site with an admin API.
type Administered struct {
	*Site
	Admin string
}

// StartAdministered is start with an admin API. configure puts a Caddyfile through
// once more before it is loaded; nil leaves it as it is.
func StartAdministered(t *testing.T, next string, configure func(string) string, options ...string) *Administered {
	t.Helper()
	s := &Administered{Site: NewSite(t), Admin: FreeAddress(t)}
	t.Cleanup(func() { s.Load("{\n admin off\n persist_config off\n}\n") }) // or its admin API would stay
	s.Reload(next, configure, options...)
	return s
}

// Reload replaces the configuration.
func (s *Administered) Reload(next string, configure func(string) string, options ...string) {
	s.T.Helper()
	caddyfile := s.WithAdmin(s.Config(s.WithAudit(options...), next))
	if configure != nil {
		caddyfile = configure(caddyfile)
	}
	s.Load(caddyfile)
}

// WithAdmin turns the admin API on in a Caddyfile of the tests.
func (s *Administered) WithAdmin(caddyfile string) string {
	return strings.Replace(caddyfile, "admin off", "admin "+s.Admin+" {\n\t\torigins "+s.Admin+"\n\t}", 1)
}

// Ask sends a request to the admin API.
func (s *Administered) Ask(method, path, body string) Response {
	s.T.Helper()
	r, err := http.NewRequestWithContext(s.T.Context(), method, "http://"+s.Admin+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	return s.Do(r)
}

// Administer gives a site that runs an admin API.
func Administer(t *testing.T, s *Site, options, next string) *Administered {
	t.Helper()
	a := &Administered{Site: s, Admin: FreeAddress(t)}
	t.Cleanup(func() { a.Load("{\n admin off\n persist_config off\n}\n") })
	a.Load(a.WithAdmin(a.Config(options, next)))
	return a
}

// LogReads is the option that writes down who reads the trail.
const LogReads = TrailOption + "log_reads"

// ReadsLogged is a gateway that writes down who reads its trail.
func ReadsLogged(t *testing.T) *Administered {
	t.Helper()
	next := WithBackend(t)
	s := Start(t, next)
	a := Administer(t, s, s.WithAudit(LogReads), next)
	s.Post("FECAESolicitar", Invoice(1))
	return a
}

// Accesses returns the records of access.
func (s *Site) Accesses() (all []*audit.Record) {
	for _, r := range s.Records() {
		if r.Kind == audit.KindAccess {
			all = append(all, r)
		}
	}
	return all
}
