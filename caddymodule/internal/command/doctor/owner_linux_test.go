package doctor

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFilesOfAnotherUser, as a start by root leaves them in the folder of the gateway's user: root can write them, and
// the gateway cannot open them.
func TestFilesOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "audit.db")
	may := func(string) error { return nil }
	own := func(place string, user int) {
		t.Helper()
		if err := os.Chown(place, user, user); err != nil {
			t.Fatal(err)
		}
	}
	own(folder, 65534)
	writeResult(path, may).is(t, good, "this user may write")
	for _, name := range []string{path, path + ".lock", path + ".newest-backup"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		own(name, 65534)
	}
	own(path+".newest-backup", 0) // which a backup by root makes
	writeResult(path, may).is(t, good, "this user may write")
	own(path+".lock", 0)
	writeResult(path, may).is(t, warning, path+".lock belongs to root, and its folder to ")
	own(path+".lock", 65534)
	key := path + ".key"
	for mode, want := range map[os.FileMode]Status{0o600: warning, 0o640: good} { // the group may read it
		if err := os.WriteFile(key, nil, mode); err != nil {
			t.Fatal(err)
		}
		writeResult(path, may).is(t, want, map[Status]string{warning: key + " belongs to root", good: "this user may write"}[want])
		if err := os.Remove(key); err != nil {
			t.Fatal(err)
		}
	}
	own(path+".lock", 0)
	own(folder, 0)
	writeResult(path, may).is(t, good, "this user may write")
}
