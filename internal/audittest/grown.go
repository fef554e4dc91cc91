package audittest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Grown is a log in memory that grows by a few records at a time. Its bytes are the same in
// each run.
type Grown struct {
	Log    string
	Store  audit.Store
	Source *Source
	Size   uint64
	t      testing.TB
	random *rand.ChaCha8
}

// NewGrown returns a log without records.
func NewGrown(t testing.TB, log string) *Grown {
	return &Grown{Log: log, Store: NewMemory(), Source: NewSource(7), t: t, random: rand.NewChaCha8([32]byte{7})}
}

// Verifier returns the public key of the log.
func (g *Grown) Verifier() string { return Key(g.t, g.Log).Verifier() }

// Grow appends the given records, and n more of the source.
func (g *Grown) Grow(n int, more ...*audit.Record) {
	g.t.Helper()
	trail, err := audit.Open(g.t.Context(), g.Store, g.Log, Key(g.t, g.Log), audit.Options{First: true, Random: g.random})
	if err != nil {
		g.t.Fatal(err)
	}
	for range n {
		more = append(more, nil)
	}
	for _, r := range more {
		if r == nil {
			r = g.Source.Next(g.Size)
		}
		if g.Size, err = trail.Append(g.t.Context(), r); err != nil {
			g.t.Fatal(err)
		}
		g.Size++
	}
	if err := trail.Close(); err != nil {
		g.t.Fatal(err)
	}
}

// IssuedIn returns n records of a month of 2026 for the log, from the index first on, of two issuers in turn; every second is the outcome of
// the one before, and names no issuer itself.
func IssuedIn(log string, month time.Month, n int, first uint64) (all []*audit.Record) {
	for i := range n {
		r := &audit.Record{
			Kind: audit.KindIntent, Time: time.Date(2026, month, 5, 12, 0, 0, 0, time.UTC), Node: log,
			Cuit: wsfev1.CUIT(20000000001 + i/2%2), Request: []byte(`{"a":1}`), ClientIdentity: "ana",
		}
		if i%2 == 1 {
			r.Kind, r.Cuit, r.Intent = audit.KindOutcome, 0, first+uint64(i)-1
		}
		all = append(all, r)
	}
	return all
}
