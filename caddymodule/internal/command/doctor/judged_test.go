package doctor

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/fielato/fielato/caddymodule/app"
)

// is fails unless a result has this status and says this, and a cure stands where one is needed.
func (r result) is(t *testing.T, status Status, found string) {
	t.Helper()
	if r.Status != status || !strings.Contains(r.Found, found) || (status == good) != (r.Cure == "") {
		t.Errorf("%+v, want %s: %s", r, status, found)
	}
}

// TestRoom: nothing is issued where the trail cannot be written.
func TestRoom(t *testing.T) {
	roomResult("/srv", 0, true).is(t, problem, "0 B free in /srv")
	roomResult("/srv", 99<<20, true).is(t, problem, "99 MiB free in /srv")
	roomResult("/srv", 512<<20, true).is(t, warning, "512 MiB free in /srv")
	roomResult("/srv", 50<<30, true).is(t, good, "50 GiB free in /srv")
	roomResult("/srv", 0, false).is(t, warning, "does not tell")
}

// TestWriting: the file, and the folder in which SQLite makes more.
func TestWriting(t *testing.T) {
	folder := t.TempDir()
	path := folder + "/not/yet/audit.db"
	writeResult(path, app.MayMake).is(t, good, folder)
	for err, want := range map[error]struct {
		Status
		found string
	}{
		syscall.EROFS:              {problem, "read-only file system"},
		syscall.EACCES:             {warning, "permission denied"},
		errors.New("no such luck"): {problem, "no such luck"},
	} {
		writeResult(path, func(string) error { return err }).is(t, want.Status, want.found)
	}
}

// TestAMissingKeyOfATrailThatCannotBeRead is neither well nor surely wrong.
func TestAMissingKeyOfATrailThatCannotBeRead(t *testing.T) {
	missingKey("signing key", "/srv/audit.key", openedTrail{}).is(t, warning, "the trail could not be read")
}
