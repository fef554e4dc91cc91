package doctor_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
)

// TestThePauseOfAGatewayAtWork: since when, until when, why, and what ends it.
func TestThePauseOfAGatewayAtWork(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, test := range map[string]struct {
		code, cuits, status string
		found, cure         []string
	}{
		"has to be mended": {
			wsaa.NotAuthorized, "20111111112", "problem",
			[]string{"no login since 20", ", until 20", "-03:00", "coe.notAuthorized", "Administrador de Relaciones"},
			[]string{"fielato wsfev1 login --now --cuit 20111111112"},
		},
		"the window": {
			wsaa.AlreadyAuthenticated, "20111111112", "problem", []string{"coe.alreadyAuthenticated"}, []string{"wait until 20", "nothing shortens"},
		},
		"out of order": {
			wsaa.LoginUnavailable, "20111111112", "problem", []string{"wsaa.unavailable"}, []string{"no login begins before 20"},
		},
		"none":          {"", "20111111112", "ok", []string{"there is one until 20"}, nil},
		"no delegation": {"", "20111111112 30500010912", "warning", []string{"does not act for 30500010912"}, []string{"login --now"}},
	} {
		t.Run(name, func(t *testing.T) {
			login := caddytest.NewLogin(t, "20111111112")
			login.Change(func(s *wsaatest.Service) { s.Failure = test.code })
			next, block := caddytest.WithBackend(t), login.Block("cuits "+test.cuits)
			s := caddytest.StartAdministered(t, next, nil, block)
			caddytest.Eventually(t, "a login", func() bool {
				shown := s.Ask("GET", "/wsfev1/tickets", "")
				return shown.Status == 200 && (shown.At(t, "/tickets/0/pause") != "null" || shown.At(t, "/tickets/0/ready") == "true")
			})
			caddyfile := s.WithAdmin(s.Config(s.WithAudit(block), next))
			r, err := examine(t, caddyfile)
			r.want(t, "access ticket", test.status, test.found[0])
			if (test.status == "problem") != (err != nil) {
				t.Error(err)
			}
			got := r["access ticket"]
			for _, text := range test.found {
				if len(got) != 1 || !strings.Contains(got[0].Found, text) {
					t.Errorf("no %q in %+v", text, got)
				}
			}
			for _, text := range test.cure {
				if len(got) != 1 || !strings.Contains(got[0].Cure, text) {
					t.Errorf("no %q in %+v", text, got)
				}
			}
			if n := len(login.Attempts()); n != 1 {
				t.Errorf("%d logins", n)
			}
			if r, _ = examine(t, strings.Replace(caddyfile, s.Admin, freeAddress(t), 2)); len(r["access ticket"]) > 0 {
				t.Errorf("another process: %+v", r["access ticket"])
			}
		})
	}
}
