package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// restored follows the page about a lost database, up to the start.
func (s *scene) restored() {
	s.T.Helper()
	s.follow("troubleshooting.md", "The database is lost")
	s.step("Stop the gateway.", "stop", s.stop)
	s.kept.restore()
}

// startAgain is the last step of most sections.
func (s *scene) startAgain() {
	s.T.Helper()
	s.step("Start the gateway", "start", s.start)
}

// restoreNewest: the machine's disk is gone, with the key, and a backup has everything.
func restoreNewest(s *scene) {
	s.issue(2)
	s.kept.backUp()
	s.disaster()
	s.gateway.Kill()
	s.kept.lose()
	s.loseKeyFiles()
	s.restored()
	s.startAgain()
	s.good()
}

// restoreOlder: the newest backup lacks the last two invoices.
func restoreOlder(s *scene) {
	s.kept.backUp()
	s.issue(2)
	s.stop()
	s.disaster()
	s.kept.lose()
	s.restored()
	s.refuses("has 4 records, and had 8", "continue-after-restore")
	s.goOn()
	s.good()
}

// goOn follows the page about an older copy.
func (s *scene) goOn() {
	s.T.Helper()
	s.follow("troubleshooting.md", "An older copy was restored")
	s.step("Look for a newer copy", "look for a newer copy", func() {})
	s.step("Stop the gateway.", "stop", s.stop)
	s.step("With PostgreSQL add `--log NODE` and `--key-file`", "continue-after-restore", func() {
		more := s.kept.log()
		if more != nil {
			more = append(more, "--key-file", s.kept.key())
		}
		s.must("continue-after-restore", more...)
	})
	s.step("Start the gateway, without `recover off`", "start", s.start)
}

// restoreWithoutKey: somebody has put the database back by hand, and not the key.
func restoreWithoutKey(s *scene) {
	s.issue(2)
	s.kept.backUp()
	s.gateway.Kill()
	s.kept.lose()
	s.loseKeyFiles()
	s.disaster()
	s.kept.putBack()
	s.refuses("the private key of the log", "put it back, its public key is")
	s.follow("troubleshooting.md", "A key is lost")
	s.step("Put the copy back.", "put the key back", s.putKeyBack)
	s.steps = append(s.steps, "start")
	s.start()
	s.good()
}

// restoreKeyAlone: somebody has put the key back, and no database.
func restoreKeyAlone(s *scene) {
	s.issue(2)
	s.kept.backUp()
	s.stop()
	s.kept.lose()
	s.loseKeyFiles()
	s.disaster()
	s.putKeyBack()
	s.refuses("was the database lost", "Restore the database from its backup")
	s.restored()
	s.startAgain()
	s.good()
}

// restoreCutOff: the copy of the file ended halfway.
func restoreCutOff(s *scene) {
	s.damage(func(file string) {
		info, err := os.Stat(file)
		s.no(err)
		s.no(os.Truncate(file, info.Size()/2))
	})
}

// restoreDamaged: pages in the middle of the file hold something else.
func restoreDamaged(s *scene) {
	s.damage(func(file string) {
		content, err := os.ReadFile(file)
		s.no(err)
		for i := len(content) / 4; i < len(content)*3/4; i++ {
			content[i] = 0xa5
		}
		s.no(os.WriteFile(file, content, 0o600))
	})
}

// damage has the gateway refuse a spoilt file, and restores the backup over it.
func (s *scene) damage(spoil func(file string)) {
	s.T.Helper()
	s.issue(2)
	s.kept.backUp()
	s.stop()
	s.disaster()
	s.kept.lose()
	s.kept.putBack()
	spoil(filepath.Join(s.folder, "audit.db"))
	s.refuses("the file is damaged: keep it, and continue with an intact copy")
	s.restored()
	s.startAgain()
	s.good()
}

// restoreWithoutRows: the restoration of the database was interrupted.
func restoreWithoutRows(s *scene) {
	s.issue(2)
	s.kept.backUp()
	s.stop()
	k := s.kept.(*keptInServer)
	s.disaster()
	k.putBack()
	k.cluster.Exec(s.T, k.database, "DELETE FROM audit_segments WHERE first >= 2")
	s.refuses("the trail is not sound", "keep what is there, and restore the newest backup")
	s.restored()
	s.step("Start each gateway", "start", s.start)
	s.good()
}

// failOver: the server dies, and its address leads to a replica that lagged behind.
func failOver(s *scene) {
	k := s.kept.(*keptInServer)
	s.stop()
	k.cluster.Stop(s.T)
	replica := k.cluster.Copy(s.T)
	k.cluster.Start(s.T)
	s.start()
	s.issue(2)
	s.disaster()
	k.cluster.Kill(s.T)
	k.proxy.Lead(replica.Address())
	said := "the log has lost records that this gateway has written"
	caddytest.Within(s.T, time.Minute, "it says why", func() bool {
		s.turnedAway("audit.unavailable")
		return strings.Contains(s.gateway.Stderr.String(), said)
	})
	s.goOn()
	s.good()
}
