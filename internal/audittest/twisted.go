package audittest

import (
	"context"
	"iter"

	"github.com/fielato/fielato/audit"
)

// Twisted is a store that does not return what it keeps: each function that is set changes
// the results of the method of its name.
type Twisted struct {
	audit.Store

	OnHead   func(audit.Head) audit.Head
	OnTile   func(hashes []byte) []byte
	OnLeaves func(hashes []byte) []byte
	// OnScan returns the forms that stand in the place of one record.
	OnScan func(index uint64, form audit.Form) []audit.Form
}

// Head implements audit.Store.
func (s *Twisted) Head(ctx context.Context, log string) (audit.Head, error) {
	head, err := s.Store.Head(ctx, log)
	if s.OnHead != nil {
		head = s.OnHead(head)
	}
	return head, err
}

// Tile implements audit.Store.
func (s *Twisted) Tile(ctx context.Context, log string, level int, n uint64) ([]byte, error) {
	hashes, err := s.Store.Tile(ctx, log, level, n)
	if s.OnTile != nil {
		hashes = s.OnTile(hashes)
	}
	return hashes, err
}

// Leaves implements audit.Store.
func (s *Twisted) Leaves(ctx context.Context, log string, first, end uint64) ([]byte, error) {
	leaves, err := s.Store.Leaves(ctx, log, first, end)
	if s.OnLeaves != nil {
		leaves = s.OnLeaves(leaves)
	}
	return leaves, err
}

// Scan implements audit.Store.
func (s *Twisted) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	if s.OnScan == nil {
		return s.Store.Scan(ctx, log, first)
	}
	return func(yield func(audit.Piece, error) bool) {
		for piece, err := range s.Store.Scan(ctx, log, first) {
			if err == nil {
				unpack := piece.Unpack
				piece.Unpack = func() (changed []audit.Form, err error) {
					forms, err := unpack()
					for i, form := range forms {
						changed = append(changed, s.OnScan(piece.First+uint64(i), form)...)
					}
					return changed, err
				}
			}
			if !yield(piece, err) {
				return
			}
		}
	}
}
