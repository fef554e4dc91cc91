package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// loseKey: nobody has a copy of the private key.
func loseKey(s *scene) {
	s.issue(2)
	s.stop()
	s.disaster()
	s.loseKeyFiles()
	s.refuses("the private key of the log", "put it back, its public key is")
	s.follow("troubleshooting.md", "A key is lost")
	switch k := s.kept.(type) {
	case *keptInFile:
		s.step("Run `audit search --outcome open` and `--outcome unknown` on the old one.", "search what is open", func() {
			for _, outcome := range []string{"open", "unknown"} {
				out, _, err := caddytest.AuditCommand("search", "--store", k.address(), "--outcome", outcome)
				if err != nil || strings.Count(out, "\n") > 1 {
					s.T.Errorf("%s: %v\n%s", outcome, err, out)
				}
			}
		})
		s.step("Give `audit sqlite` a new path, and keep the old files as they are.", "a new path", func() {
			k.path = filepath.Join(s.folder, "second.db")
		})
	case *keptInServer:
		s.step("give the gateway another `node` name instead", "another node name", func() { k.node = "edge-2" })
	}
	s.steps = append(s.steps, "start")
	s.start()
	s.good()
}

// loseDatabase: nobody has a backup.
func loseDatabase(s *scene) {
	s.issue(2)
	s.stop()
	s.disaster()
	s.kept.lose()
	s.refuses("was the database lost", "move the key away and keep it")
	s.follow("troubleshooting.md", "The database is lost")
	s.step("To begin a new trail on purpose, move the key file away and keep it.", "move the key away", func() {
		s.no(os.Rename(s.kept.key(), s.kept.key()+".lost"))
	})
	s.steps = append(s.steps, "start")
	s.start()
	s.good()
}

// moveMachine: the files go to another folder, and the gateway starts there at another address.
func moveMachine(s *scene) {
	s.issue(2)
	s.disaster()
	s.follow("operating.md", "Move to another machine")
	s.step("Stop the gateway.", "stop", s.stop)
	s.step("Copy `audit.db` with everything that begins with its name", "copy the files", func() {
		other := filepath.Join(s.T.TempDir(), "moved")
		s.no(os.Mkdir(other, 0o700))
		s.copyAll(filepath.Join(s.folder, "*"), other)
		s.no(os.RemoveAll(s.folder))
		s.folder = other
		if k, ok := s.kept.(*keptInFile); ok {
			k.path = filepath.Join(other, "audit.db")
		}
		s.URL, s.Metrics = "http://"+caddytest.FreeAddress(s.T), "http://"+caddytest.FreeAddress(s.T)
	})
	s.startAgain()
	s.good()
}

// expireCertificate: the gateway starts again after the certificate of its tickets has ended.
func expireCertificate(s *scene) {
	login := caddytest.NewLogin(s.T, "20111111112")
	s.stop()
	if k, ok := s.kept.(*keptInServer); ok { // gateways that share tickets need it
		k.contentKey = filepath.Join(s.folder, "content.key")
		if _, _, err := caddytest.AuditCommand("new-key", k.contentKey); err != nil {
			s.T.Fatal(err)
		}
	}
	s.options = append(s.options, login.Block("cuits 20-11111111-2", "tickets always"))
	s.start()
	s.issue(2)
	write := func(until time.Time) {
		certificate, key := caddytest.WriteCredential(s.T, wsaatest.NewClient(s.T, wsaatest.Spec{
			Subject: wsaatest.Subject("20111111112", "fielato"), From: until.AddDate(-2, 0, 0), Until: until,
		}))
		s.no(os.Rename(key, login.Key))
		s.no(os.Rename(certificate, login.Certificate))
	}
	s.stop()
	s.disaster()
	write(time.Now().Add(-time.Minute))
	s.start()
	s.turnedAway("wsaa.no_ticket")
	if log := s.gateway.Stderr.String(); !strings.Contains(log, "has expired") {
		s.T.Errorf("the log does not say why:\n%s", log)
	}
	s.follow("runbook.md", "FielatoCertificateUnusable")
	s.step("says what is wrong, and so does the log at the start", "read the log", func() {})
	s.step("Fix the file.", "put the new certificate in place", func() { write(time.Now().AddDate(1, 0, 0)) })
	s.good()
}
