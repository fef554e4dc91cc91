package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

// contentKeyVariable is the environment variable that has the key itself, for where a
// file is no good, as in a container.
const contentKeyVariable = "FIELATO_ENCRYPTION_KEY"

const contentKeyUsage = "The file with the key of an encrypted trail (default: the key in the environment variable " +
	contentKeyVariable + "; without one encrypted content is not shown)"

// contentKeyFlag returns the key that the command was given, nil for none.
func contentKeyFlag(cmd *cobra.Command) (*audit.ContentKey, error) {
	if file, _ := cmd.Flags().GetString("encryption-key"); file != "" {
		if mayBeKey(file) {
			return nil, errors.New("--encryption-key: give the file, not the key: others may see the arguments of a command")
		}
		key, err := readContentKey(file)
		if err != nil {
			return nil, fmt.Errorf("--encryption-key: %w", err)
		}
		return key, nil
	}
	text := os.Getenv(contentKeyVariable)
	if text == "" {
		return nil, nil
	}
	key, err := audit.ParseContentKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", contentKeyVariable, err)
	}
	return key, nil
}

// writeSecret writes a new file for its owner only, never over one that is there.
func writeSecret(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text+"\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(file))
	}
	return nil
}

// sealedNotice tells, once, that something is not shown for want of the key.
type sealedNotice struct {
	audit.Store
	out  io.Writer
	said bool // a command reads from one goroutine
}

// countsOnly marks a command that shows no content, and has nothing to tell.
const countsOnly = "counts only"

func newSealedNotice(store audit.Store, cmd *cobra.Command) *sealedNotice {
	_, silent := cmd.Annotations[countsOnly]
	return &sealedNotice{Store: store, out: cmd.ErrOrStderr(), said: silent}
}

func (s *sealedNotice) look(r *audit.Record) {
	if r == nil || r.Presence != audit.Sealed || s.said {
		return
	}
	s.said = true
	fmt.Fprintf(s.out, "content is encrypted: bodies, their digests, the codes in answers and what findings quote are not shown; "+
		"give --encryption-key FILE, or the key in %s\n", contentKeyVariable)
}

// Inspect implements audit.Inspector, as far as the store does: without it a verification
// would not look at the search index.
func (s *sealedNotice) Inspect(ctx context.Context, log string, found func(audit.Flaw)) error {
	if inspector, ok := s.Store.(audit.Inspector); ok {
		return inspector.Inspect(ctx, log, found)
	}
	return nil
}

// Get implements audit.Store.
func (s *sealedNotice) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	r, err := s.Store.Get(ctx, log, index)
	s.look(r)
	return r, err
}

// Search implements audit.Store.
func (s *sealedNotice) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		for r, err := range s.Store.Search(ctx, query) {
			s.look(r)
			if !yield(r, err) {
				return
			}
		}
	}
}
