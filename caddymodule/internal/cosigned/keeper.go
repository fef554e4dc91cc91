package cosigned

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
)

const (
	// maxRounds is how many checkpoints wait for a quorum. Witnesses that answer late sign an older one.
	maxRounds = 16
	// maxSigned bounds what a store has under a setting.
	maxSigned = 64 << 10
)

// signedSettingOf returns the name of the setting with the newest checkpoint that a witness has cosigned.
func signedSettingOf(log string, w *Witness) string {
	return audit.CosignedSetting(log) + "/" + w.verifier.String()
}

// Log is a log whose checkpoints are cosigned.
type Log struct {
	Name string
	// Verifier is its public key.
	Verifier string
	Store    audit.Store
	// Tip is beside its private key, where the proof against it is kept.
	Tip    sentinel.Tip
	Logger *zap.Logger
}

// Keeper keeps the cosigned checkpoints of a log. It belongs to the log and outlives configurations. Its methods may be
// called at the same time.
type Keeper struct {
	log Log
	// contradicted is the proof that the log has lost records or was rewritten, nil for none.
	contradicted atomic.Pointer[error]

	mu sync.Mutex // guards what follows
	// newest is what a quorum has cosigned, nil for none, and size its number of records.
	newest []byte
	size   uint64
	// signed has what each witness has cosigned, by public key. A witness of which nothing was read yet is missing.
	signed map[string]Signed
	// rounds are checkpoints of the process, the newest last.
	rounds []*round
}

// round is a checkpoint and what was signed of it, by public key.
type round struct {
	text string
	size uint64
	by   map[string]Signed
}

// NewKeeper returns the keeper of a log. A kept checkpoint that does not verify counts as none.
func NewKeeper(ctx context.Context, log Log) (*Keeper, error) {
	k := &Keeper{log: log, signed: map[string]Signed{}}
	kept, signed, err := audit.Cosigned(ctx, log.Store, log.Name, log.Verifier)
	if err != nil {
		return nil, err
	}
	k.newest, k.size = signed, kept.Size
	return k, nil
}

// Newest returns the newest checkpoint that a quorum of witnesses has cosigned, a signed note with all their lines. It
// is nil if there is none.
func (k *Keeper) Newest() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.newest
}

// by returns the newest checkpoint that a witness has cosigned, the zero Signed if there is none.
func (k *Keeper) by(ctx context.Context, w *Witness, now time.Time) (Signed, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := w.verifier.String()
	if s, read := k.signed[key]; read {
		return s, nil
	}
	kept, err := k.log.Store.Setting(ctx, signedSettingOf(k.log.Name, w))
	if err != nil {
		return Signed{}, fmt.Errorf("reading what the witness %s has signed: %w", w.Name(), err)
	}
	s, err := w.open(kept, k.log.Verifier, now)
	if err != nil || !audit.IsOrigin(s.Origin, k.log.Name) || len(kept) > maxSigned {
		s = Signed{}
	}
	k.signed[key] = s
	return s, nil
}

// keep keeps what a witness has cosigned, if it has not signed a newer one, and what a quorum has by now.
func (k *Keeper) keep(ctx context.Context, w *Witness, s Signed, policy *Policy) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := w.verifier.String()
	if s.Size >= k.signed[key].Size {
		if err := k.log.Store.SetSetting(ctx, signedSettingOf(k.log.Name, w), s.Note); err != nil {
			return fmt.Errorf("keeping what the witness %s has signed: %w", w.Name(), err)
		}
		k.signed[key] = s
	}
	r := k.round(s)
	r.by[key] = s
	signed := func(key string) bool { _, signed := r.by[key]; return signed }
	if !policy.satisfied(signed) || r.size < k.size {
		return nil
	}
	newest, err := combine(k.log.Verifier, r.by, policy.witnesses)
	if err != nil {
		return fmt.Errorf("putting cosignatures together: %w", err)
	}
	if err := k.log.Store.SetSetting(ctx, audit.CosignedSetting(k.log.Name), newest); err != nil {
		return fmt.Errorf("keeping a cosigned checkpoint: %w", err)
	}
	k.newest, k.size = newest, r.size
	return nil
}

// round returns the round of a checkpoint. The caller holds mu.
func (k *Keeper) round(s Signed) *round {
	for _, r := range k.rounds {
		if r.text == s.opened.Text {
			return r
		}
	}
	r := &round{s.opened.Text, s.Size, map[string]Signed{}}
	k.rounds = append(k.rounds, r)
	slices.SortStableFunc(k.rounds, func(a, b *round) int { return cmp.Compare(a.size, b.size) })
	if len(k.rounds) > maxRounds {
		k.rounds = k.rounds[1:]
	}
	return r
}
