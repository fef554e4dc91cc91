package access

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/directive"
)

// TestAProblemIsSeenWhileATableIsRecorded: a scrape does not wait for the store.
func TestAProblemIsSeenWhileATableIsRecorded(t *testing.T) {
	a := &Access{logger: zap.NewNop()}
	broken := errors.New("line 3")
	a.mu.Lock() // as refresh does while the trail takes a record
	defer a.mu.Unlock()
	for _, want := range []error{nil, broken, nil} {
		a.report(want)
		if got := a.Problem(); !errors.Is(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestTheCureOfAFileThatCannotBeRead: a right path is not to blame for a right that is missing.
func TestTheCureOfAFileThatCannotBeRead(t *testing.T) {
	_, missing := readFile(filepath.Join(t.TempDir(), "customers"))
	for err, cure := range map[error]string{
		missing: "correct the path",
		directive.ErrorOfFile(&fs.PathError{Op: "open", Path: "customers", Err: fs.ErrPermission}): "let the user of the gateway read the file",
	} {
		if !strings.Contains(err.Error(), cure) || strings.Contains(err.Error(), "correct the path") != (cure == "correct the path") {
			t.Error(err)
		}
	}
}
