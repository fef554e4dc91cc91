package keyfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// TestAFileIsMadeOnce: one of many makes it, nobody else can read it, and nothing is left behind.
func TestAFileIsMadeOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "some.key")
	var makers atomic.Int32
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			switch made, err := Make("the key", file, fmt.Append(nil, i)); {
			case err != nil:
				t.Error(err)
			case made:
				makers.Add(1)
				if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, fmt.Append(nil, i)) {
					t.Errorf("%s, %v", text, err)
				}
			}
		})
	}
	all.Wait()
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || makers.Load() != 1 {
		t.Errorf("%v, %v, made by %d", err, info, makers.Load())
	}
	if left, err := os.ReadDir(filepath.Dir(file)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}
