package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
)

// ContentKeyVariable is the environment variable with the key itself, for places without
// files, such as containers.
const ContentKeyVariable = "FIELATO_ENCRYPTION_KEY"

const contentKeyUsage = "The file with the key of an encrypted trail (default: the key in the environment variable " +
	ContentKeyVariable + "; without one encrypted content is not shown)"

// ContentKey returns the key from the flag or the environment; nil for none.
func (f *TrailFlags) ContentKey() (*audit.ContentKey, error) {
	if file := f.encryptionKey; file != "" {
		if keyfile.MayBeContent(file) {
			return nil, errors.New("--encryption-key: give the file, not the key: others may see the arguments of a command")
		}
		key, err := keyfile.ReadContent(file)
		if err != nil {
			return nil, fmt.Errorf("--encryption-key: %w", err)
		}
		return key, nil
	}
	text := os.Getenv(ContentKeyVariable)
	if text == "" {
		return nil, nil
	}
	key, err := audit.ParseContentKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ContentKeyVariable, err)
	}
	return key, nil
}

// sealedNotice reports once that content is not shown because the key is missing.
type sealedNotice struct {
	audit.Store
	out  io.Writer
	said bool // a command reads from one goroutine
}

// newSealedNotice wraps a store. A command that shows no content reports nothing.
func newSealedNotice(store audit.Store, out io.Writer, use contentUse) *sealedNotice {
	return &sealedNotice{Store: store, out: out, said: use != contentShown}
}

func (s *sealedNotice) check(r *audit.Record) {
	if r == nil || r.Presence != audit.Sealed || s.said {
		return
	}
	s.said = true
	fmt.Fprintf(s.out, "content is encrypted: bodies, their digests, the codes in answers and what findings quote are not shown; "+
		"give --encryption-key FILE, or the key in %s\n", ContentKeyVariable)
}

// Inspect implements audit.Inspector if the store does. Without it a verification would skip
// the search index.
func (s *sealedNotice) Inspect(ctx context.Context, log string, found func(audit.Flaw)) error {
	if inspector, ok := s.Store.(audit.Inspector); ok {
		return inspector.Inspect(ctx, log, found)
	}
	return nil
}

// Get implements audit.Store.
func (s *sealedNotice) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	r, err := s.Store.Get(ctx, log, index)
	s.check(r)
	return r, err
}

// Reader implements audit.Reading. Its callers count the sealed records themselves.
func (s *sealedNotice) Reader(ctx context.Context, log string) (audit.RecordReader, error) {
	return audit.ReaderOf(ctx, s.Store, log)
}

// Search implements audit.Store.
func (s *sealedNotice) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		for r, err := range s.Store.Search(ctx, query) {
			s.check(r)
			if !yield(r, err) {
				return
			}
		}
	}
}
