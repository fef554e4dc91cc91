package segment

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/term"
)

// keys are what a search knows of a record without decoding it.
type keys struct {
	kind   audit.Kind
	intent uint64 // index of the intent, of an outcome only
	micros int64  // Time in microseconds since 1970
	terms  []byte // packed: sorted, each once
}

// termBuffers are buffers for the terms of a record: each record needs one while its keys are made.
var termBuffers = sync.Pool{New: func() any { return new([]term.Term) }}

// keysOf returns the keys of a record as a build makes them, and their encoding, which has the terms of both.
func keysOf(r *audit.Record, by build, key term.Key) (keys, []byte) {
	buffer := termBuffers.Get().(*[]term.Term)
	defer termBuffers.Put(buffer)
	*buffer = appendTerms((*buffer)[:0], r, by, key)
	k := keys{kind: r.Kind, intent: r.Intent, micros: r.Time.UnixMicro()}
	b := append(make([]byte, 0, 1+2*binary.MaxVarintLen64+len(*buffer)*term.Bytes), byte(k.kind))
	b = binary.AppendVarint(binary.AppendUvarint(b, k.intent), k.micros)
	start := len(b)
	b = term.Pack(b, *buffer)
	k.terms = b[start:]
	return k, b
}

func (k *keys) isIntent() bool  { return k.kind == audit.KindIntent }
func (k *keys) isOutcome() bool { return k.kind == audit.KindOutcome }

// has reports whether the record, or its intent if there is one, has one of each.
func (k *keys) has(all []alternatives, intent *keys) bool {
	for _, one := range all {
		if !k.hasOne(one) && (intent == nil || !intent.hasOne(one)) {
			return false
		}
	}
	return true
}

func (k *keys) hasOne(one alternatives) bool {
	return slices.ContainsFunc(one.terms, k.hasTerm) || one.unless != 0 && !k.hasTerm(one.unless)
}

func (k *keys) hasTerm(t term.Term) bool { return t.In(k.terms) }

func (k *keys) during(since, until time.Time) bool {
	return (since.IsZero() || k.micros >= since.UnixMicro()) &&
		(until.IsZero() || k.micros <= until.UnixMicro())
}

// decodeKeys reads what keysOf has encoded; the terms share its memory.
func decodeKeys(b []byte) (keys, error) {
	if len(b) == 0 {
		return keys{}, fmt.Errorf("keys of a record: %w", frame.ErrDamaged)
	}
	k := keys{kind: audit.Kind(b[0])}
	intent, b, ok := frame.TakeUvarint(b[1:])
	micros, n := binary.Varint(b)
	if !ok || n <= 0 || (len(b)-n)%term.Bytes != 0 {
		return keys{}, fmt.Errorf("keys of a record: %w", frame.ErrDamaged)
	}
	k.intent, k.micros, k.terms = intent, micros, b[n:]
	return k, nil
}
