package keeping_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestATrailIsPutIntoNoFolderOfAnotherUser: root can write there, and the gateway could not open what root made.
func TestATrailIsPutIntoNoFolderOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can write into the folder of another user")
	}
	s, _ := caddytest.StoppedTrail(t)
	folder := t.TempDir()
	if err := os.Chown(folder, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	to := "sqlite:" + filepath.Join(folder, "audit.db")
	for _, command := range [][]string{
		{"copy", "--from", "sqlite:" + s.Store, "--to", to},
		{"restore", "--from", s.Store, "--store", to},
	} {
		_, _, err := caddytest.AuditCommand(command...)
		if err == nil || !strings.Contains(err.Error(), "run the command as its owner") {
			t.Errorf("%s: %v", command[0], err)
		}
	}
	if made, err := os.ReadDir(folder); err != nil || len(made) != 0 {
		t.Errorf("%v %v", made, err)
	}
}
