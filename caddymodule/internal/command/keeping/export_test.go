package keeping

import (
	"context"
	"errors"
	"iter"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

// Copy is the command. It calls meanwhile before the records from this index on are copied, and fails with its error.
func Copy(ctx context.Context, from, to string, meanwhile func(index uint64) error) error {
	flags := &copyFlags{TrailFlags: &cli.TrailFlags{}, from: from, to: to}
	source, target, err := flags.addresses()
	if err != nil {
		return err
	}
	c, err := openCopier(ctx, &cobra.Command{}, flags, source, target, nil)
	if err != nil {
		return err
	}
	c.source.Store = &scanned{c.source.Store, meanwhile}
	return errors.Join(c.run(ctx), c.close())
}

// scanned calls meanwhile before each piece.
type scanned struct {
	audit.Store
	meanwhile func(index uint64) error
}

// Scan implements audit.Store.
func (s *scanned) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range s.Store.Scan(ctx, log, first) {
			if err == nil {
				err = s.meanwhile(piece.First)
			}
			if !yield(piece, err) || err != nil {
				return
			}
		}
	}
}
