package sqlite_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRootLeavesNothingThatTheGatewayCannotOpen: what a command of root makes beside a trail, such as the lock of
// one that was just restored, belongs to the owner of the folder.
func TestRootLeavesNothingThatTheGatewayCannotOpen(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can write into the folder of another user")
	}
	const gateway = 65534
	folder := t.TempDir()
	if err := os.Chown(folder, gateway, gateway); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(folder, "evidence.db"))
	defer closeStore(t, s)
	for _, name := range []string{"evidence.db", "evidence.db-wal", "evidence.db-shm", "evidence.db.lock"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || stat.Uid != gateway || stat.Gid != gateway {
			t.Errorf("%s belongs to %+v", name, stat)
		}
	}
}
