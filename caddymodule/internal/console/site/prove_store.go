package site

import (
	"context"
	"iter"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
)

// proveStore is a boundStore with what proves the reader's own records: the hashes of the tree, which hold
// nothing of a record, and the checkpoint. A checkpoint says how many records a log has. No proof can do
// without, and checkpoints are published; only the page of a proof has one.
type proveStore struct{ *boundStore }

// Head implements audit.Store.
func (p *proveStore) Head(ctx context.Context, log string) (audit.Head, error) {
	return p.store.Head(ctx, log)
}

// Setting implements audit.Store: the checkpoints that witnesses have cosigned and authorities have stamped too, which
// hold nothing of a record.
func (p *proveStore) Setting(ctx context.Context, name string) ([]byte, error) {
	if strings.HasPrefix(name, audit.CosignedSetting("")) || timestamped.IsSetting(name) {
		return p.store.Setting(ctx, name)
	}
	return p.boundStore.Setting(ctx, name)
}

// Tile implements audit.Store.
func (p *proveStore) Tile(ctx context.Context, log string, level int, n uint64) ([]byte, error) {
	return p.store.Tile(ctx, log, level, n)
}

// Leaves implements audit.Store.
func (p *proveStore) Leaves(ctx context.Context, log string, first, end uint64) ([]byte, error) {
	return p.store.Leaves(ctx, log, first, end)
}

// Scan implements audit.Store, but for one record: the first, if it is the reader's own.
func (p *proveStore) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return func(yield func(audit.Piece, error) bool) {
		if _, err := p.Get(ctx, log, first); err != nil {
			yield(audit.Piece{}, err)
			return
		}
		for piece, err := range p.store.Scan(ctx, log, first) {
			if err != nil {
				yield(audit.Piece{}, err)
				return
			}
			yield(only(piece, first), nil)
			return
		}
	}
}

// only returns the piece without any record but this one.
func only(piece audit.Piece, index uint64) audit.Piece {
	return audit.Piece{First: index, Release: piece.Release, Unpack: func() ([]audit.Form, error) {
		forms, err := piece.Unpack()
		if err != nil || index < piece.First || index-piece.First >= uint64(len(forms)) {
			return nil, err
		}
		return forms[index-piece.First:][:1:1], nil
	}}
}
