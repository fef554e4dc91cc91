package publiclog

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

var (
	errNoLog = errors.New("no log has this name")
	errTwo   = errors.New("two trails of this configuration have a log of this name: serve one of them by a configuration of its own")
)

// source is a log as it is at the moment.
type source struct {
	store audit.Store
	log   string
	// newest is the newest checkpoint, a signed note, and size its number of records.
	newest []byte
	size   uint64
	// cosigned is the newest one with the cosignatures of a quorum, nil for none.
	cosigned []byte
}

// find returns the log of this name: one that a trail writes, or another in the store of one.
func (l *Log) find(ctx context.Context, trails []*trail.Trail, name string) (source, error) {
	var own *trail.Trail
	for _, t := range trails {
		if t.Log != name {
			continue
		}
		if own != nil {
			return source{}, errTwo
		}
		own = t
	}
	if own != nil {
		s := source{store: own.Store, log: name, newest: own.Checkpoint()}
		if cosigned.Asked(ctx, l.app, own) {
			s.cosigned = own.Cosigned().Newest()
		}
		return s.measured()
	}
	for _, t := range trails {
		s, err := l.other(ctx, t, name)
		if !errors.Is(err, errNoLog) {
			return s, err
		}
	}
	return source{}, errNoLog
}

// other returns a log that another gateway writes into the store of t, or wrote.
func (l *Log) other(ctx context.Context, t *trail.Trail, name string) (source, error) {
	head, err := audit.Glimpse(ctx, t.Store, name)
	if err != nil {
		return source{}, fmt.Errorf("reading the newest checkpoint: %w", err)
	}
	if head.Checkpoint == nil {
		return source{}, errNoLog
	}
	s := source{store: t.Store, log: name, newest: head.Checkpoint}
	if cosigned.Asked(ctx, l.app, t) {
		verifier, err := signingkey.KnownVerifier(ctx, t.Store, name)
		if err != nil {
			return source{}, err
		}
		if _, s.cosigned, err = audit.Cosigned(ctx, t.Store, name, verifier); err != nil {
			return source{}, err
		}
	}
	return s.measured()
}

// measured returns the source with its size. A cosigned checkpoint of more records than the log has is left out.
func (s source) measured() (source, error) {
	var err error
	if s.size, err = sizeOf(s.newest); err != nil {
		return source{}, fmt.Errorf("reading the newest checkpoint: %w", err)
	}
	if size, err := sizeOf(s.cosigned); err != nil || size > s.size {
		s.cosigned = nil
	}
	return s, nil
}

// sizeOf returns the number of records of a checkpoint, without verifying it.
func sizeOf(signed []byte) (uint64, error) {
	text, _, _ := bytes.Cut(signed, []byte("\n\n"))
	c, err := audit.ParseCheckpoint(string(text) + "\n")
	return c.Size, err
}

// checkpoint returns the one that is served: the cosigned one, if there is one.
func (s source) checkpoint() []byte {
	if s.cosigned != nil {
		return s.cosigned
	}
	return s.newest
}
