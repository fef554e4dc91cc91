package signingkey

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestKeyIsMadeOnce: concurrent callers all get the same key, and nothing else is left behind.
func TestKeyIsMadeOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "audit.db.key")
	verifiers := make([]string, 16)
	var group sync.WaitGroup
	for i := range verifiers {
		group.Go(func() {
			key, err := makeKey(file, "edge-1")
			if err != nil {
				t.Error(err)
				return
			}
			verifiers[i] = key.Verifier()
		})
	}
	group.Wait()
	key, err := readKey(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verifiers {
		if v != key.Verifier() {
			t.Errorf("one has %s, the file %s", v, key.Verifier())
		}
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}
