package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/audittest"
)

// countingLogs is a store that counts how often its logs are listed.
type countingLogs struct {
	audit.Store
	listed int
}

func (c *countingLogs) Logs(ctx context.Context) ([]string, error) {
	c.listed++
	return c.Store.Logs(ctx)
}

// TestASessionListsTheLogsOnce, even if its reading is written down first.
func TestASessionListsTheLogsOnce(t *testing.T) {
	names := []string{"gateway-1", "gateway-2", "gateway-3"}
	store := audittest.NewMemory()
	for _, name := range names {
		key, err := audittest.NewKey(name)
		if err != nil {
			t.Fatal(err)
		}
		trail, err := audit.Open(t.Context(), store, name, key, audit.Options{First: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := trail.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.SetSetting(t.Context(), trail.LogReadsKey, []byte(trail.ReadsLogged)); err != nil {
		t.Fatal(err)
	}
	cmd := &cobra.Command{Use: "verify"}
	cmd.SetErr(io.Discard)
	counting := &countingLogs{Store: store}
	readOnly := &storeKind{Write: func(context.Context, string, *audit.ContentKey) (audit.Store, error) {
		return nil, errors.New("read only")
	}}
	s := &Session{Cmd: cmd, flags: &TrailFlags{admin: "127.0.0.1:1"}, Address: StoreAddress{Kind: readOnly}, Store: counting}
	if err := s.NoteRead(t.Context()); err == nil {
		t.Fatal("written down by a gateway that is not there")
	}
	s.flags.Log = "gateway-2"
	if err := s.NoteRead(t.Context()); err == nil {
		t.Fatal("written down by a gateway that is not there")
	}
	if log, err := s.Log(t.Context()); err != nil || log != "gateway-2" {
		t.Errorf("log %q: %v", log, err)
	}
	s.flags.Log = ""
	if logs, err := s.Logs(t.Context()); err != nil || !slices.Equal(logs, names) {
		t.Errorf("logs %q: %v", logs, err)
	}
	if counting.listed != 1 {
		t.Errorf("listed %d times", counting.listed)
	}
}
