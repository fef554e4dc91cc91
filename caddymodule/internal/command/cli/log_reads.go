package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// NoteRead records the access in the trail if log_reads is on. It comes before anything is
// shown: if it fails, the command shows nothing.
func (s *Session) NoteRead(ctx context.Context) error {
	if on, err := trail.ReadsAreLogged(ctx, s.Store); err != nil || !on {
		return err
	}
	logs, err := s.Logs(ctx)
	if err != nil {
		return err
	}
	all, err := s.AllLogs(ctx)
	if err != nil {
		return err
	}
	note := s.Note(trail.Read{}, logs...)
	note.others = slices.DeleteFunc(slices.Clone(all), func(log string) bool { return slices.Contains(logs, log) })
	if _, err := note.Write(ctx); err != nil {
		return fmt.Errorf("nothing is shown: each read of this trail must be recorded first (log_reads), which failed; %w", err)
	}
	return nil
}

const (
	// Another command that records its access holds the store for a moment only.
	writeAttempts = 5
	writePause    = 100 * time.Millisecond
)

// openUnlocked opens a SQLite store for writing, and waits for another command to close it.
func openUnlocked(ctx context.Context, path string, key *audit.ContentKey) (audit.Store, error) {
	for attempt := 1; ; attempt++ {
		store, err := auditsqlite.Open(path, auditsqlite.WithContentKey(key))
		switch {
		case err == nil:
			return store, nil
		case !errors.Is(err, auditsqlite.ErrLocked) || attempt == writeAttempts:
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(writePause):
		}
	}
}

// UserAtHost returns the system's user and host.
func UserAtHost() string {
	name := "unknown"
	if who, err := user.Current(); err == nil {
		name = cmp.Or(who.Username, who.Uid)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return name + "@" + host
}

// maxShownFlag is the longest value of a flag that is recorded, in bytes. No filter needs
// more; a credential that was pasted by mistake does.
const maxShownFlag = 64

// commandText returns the command as it is recorded: name, filters and arguments, without
// stores and files, and without anything that may be a secret.
func commandText(cmd *cobra.Command) string {
	_, name, found := strings.Cut(cmd.CommandPath(), "wsfev1 ")
	if !found {
		name = cmd.CommandPath()
	}
	words := []string{name}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "store", "from", "to", "admin", "output", "writer":
			return
		}
		words = append(words, "--"+f.Name+"="+shownValue(f.Name, f.Value.String()))
	})
	for _, argument := range cmd.Flags().Args() {
		words = append(words, shownValue("", argument))
	}
	return strings.Join(words, " ")
}

func shownValue(name, value string) string {
	for _, secret := range []string{"key", "secret", "token", "sign", "password"} {
		if strings.Contains(name, secret) {
			return "…"
		}
	}
	switch {
	case len(value) > maxShownFlag, strings.Contains(value, signingkey.PrivatePrefix):
		return fmt.Sprintf("(%d bytes)", len(value))
	case strings.ContainsAny(value, " \t\n\"") || value == "":
		return strconv.Quote(value)
	}
	return value
}
