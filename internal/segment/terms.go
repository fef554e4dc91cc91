package segment

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/run"
	"github.com/fielato/fielato/wsfev1"
)

// term is 48 bits of the hash of something that a record can be found by. Two things may
// share a term, so a search compares the records themselves in the end. How terms are made
// is part of the store format: changing it makes existing records unfindable.
type term uint64

const (
	termBytes = 6
	termMask  = 1<<(8*termBytes) - 1
)

// posted is what postings have of the term.
func (t term) posted() run.Term { return run.Term(t >> (8*termBytes - run.TermBits)) }

// What terms are made of. The number goes into the hash.
const (
	aboutCuit = iota + 1
	aboutSeries
	aboutNumber
	aboutWide
	aboutCode
	aboutOperation
	aboutOutcome
	aboutID
	aboutIdentity
	aboutFinding
	aboutIdempotencyKey
	// aboutKind is what a record has that is no exchange: they are few, and asked for alone.
	aboutKind
	aboutTraceID
	// aboutPoint and aboutWidePoint stand for a number and a wide range, for a search that does not name the issuer.
	aboutPoint
	aboutWidePoint
	aboutPoints
)

// hasPoints is a term of each record that has such terms, if it has numbers. Records of earlier builds do not have it.
var hasPoints = termOf(aboutPoints)

// wideRange is the longest range of voucher numbers that gets a term for each
// number. A longer one has the series' one term for wide ranges.
const wideRange = 32

func termOf(about uint64, numbers ...uint64) term {
	h := mix(about)
	for _, n := range numbers {
		h = mix(h ^ n)
	}
	return term(h & termMask)
}

func termOfText(about uint64, text string) term {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return termOf(about, h)
}

// mix is the finalizer of MurmurHash3: each bit depends on each.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// appendTerms appends the terms of a record to an empty list, sorted, each once: with the terms of points of sale, or
// as an earlier build has made them.
func appendTerms(terms []term, r *audit.Record, points bool) []term {
	cuit, pto, tipo := uint64(r.Cuit), uint64(r.PtoVta), uint64(r.CbteTipo)
	terms = append(slices.Grow(terms, 9+3*len(r.Vouchers)+len(r.Findings)),
		termOf(aboutCuit, cuit), termOf(aboutSeries, cuit, pto, tipo),
		termOfText(aboutOperation, r.Operation), termOfText(aboutOutcome, string(r.Outcome)), termOfText(aboutID, r.ID))
	if r.ClientIdentity != "" {
		terms = append(terms, termOfText(aboutIdentity, r.ClientIdentity))
	}
	if key := r.IdempotencyKey; key != ([16]byte{}) {
		terms = append(terms, termOfText(aboutIdempotencyKey, string(key[:])))
	}
	if id := r.TraceID; !id.IsZero() {
		terms = append(terms, termOfText(aboutTraceID, string(id[:])))
	}
	if r.Kind > audit.KindOutcome {
		terms = append(terms, termOf(aboutKind, uint64(r.Kind)))
	}
	if points {
		terms = append(terms, hasPoints)
	}
	for _, code := range r.Codes() {
		terms = append(terms, termOfText(aboutFinding, code))
	}
	for i := range r.Vouchers {
		v := &r.Vouchers[i]
		if v.Code != "" {
			terms = append(terms, termOfText(aboutCode, v.Code))
		}
		if v.CbteHasta < v.CbteDesde {
			continue
		}
		further := uint64(v.CbteHasta) - uint64(v.CbteDesde)
		if further >= wideRange {
			if terms = append(terms, termOf(aboutWide, cuit, pto, tipo)); points {
				terms = append(terms, termOf(aboutWidePoint, pto))
			}
			continue
		}
		// Counted, not compared: a client can send the largest number, or -1, which is that as
		// a uint64, and nothing is beyond it.
		for i := range further + 1 {
			number := uint64(v.CbteDesde) + i
			if terms = append(terms, termOf(aboutNumber, cuit, pto, tipo, number)); points {
				terms = append(terms, termOf(aboutPoint, pto, number))
			}
		}
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// alternatives are terms; a record must have one of them, or lack the term unless, if that is not 0.
type alternatives struct {
	terms  []term
	unless term
}

func oneTerm(t term) alternatives { return alternatives{terms: []term{t}} }

func anyIssuer(cuits []wsfev1.CUIT) (any alternatives) {
	for _, cuit := range cuits {
		any.terms = append(any.terms, termOf(aboutCuit, uint64(cuit)))
	}
	return any
}

// termsOfQuery returns what every record that the query matches has: one of each, those
// that fewest records have first. What another of them implies is left out.
func termsOfQuery(q *audit.Query) []alternatives {
	var all []alternatives
	cuit, pto, tipo := uint64(q.Cuit), uint64(q.PtoVta), uint64(q.CbteTipo)
	text := func(about uint64, wanted string) {
		if wanted != "" {
			all = append(all, oneTerm(termOfText(about, wanted)))
		}
	}
	if len(q.Cuits) > 0 && !slices.Contains(q.Cuits, q.Cuit) {
		// They come first: how long a search takes must not depend on what others' records hold.
		all = append(all, anyIssuer(q.Cuits))
	}
	text(aboutID, q.ID)
	text(aboutCode, q.Code)
	series := q.Cuit != 0 && q.PtoVta != 0 && q.CbteTipo != 0
	switch {
	case series && q.Number != 0:
		all = append(all, alternatives{terms: []term{
			termOf(aboutNumber, cuit, pto, tipo, uint64(q.Number)), termOf(aboutWide, cuit, pto, tipo),
		}})
	case series:
		all = append(all, oneTerm(termOf(aboutSeries, cuit, pto, tipo)))
	default:
		if q.PtoVta != 0 && q.Number != 0 {
			all = append(all, alternatives{
				terms: []term{termOf(aboutPoint, pto, uint64(q.Number)), termOf(aboutWidePoint, pto)}, unless: hasPoints,
			})
		}
		if q.Cuit != 0 {
			all = append(all, oneTerm(termOf(aboutCuit, cuit)))
		}
	}
	if q.Kind > audit.KindOutcome {
		all = append(all, oneTerm(termOf(aboutKind, uint64(q.Kind))))
	}
	if key := q.IdempotencyKey; key != ([16]byte{}) {
		all = append(all, oneTerm(termOfText(aboutIdempotencyKey, string(key[:]))))
	}
	if id := q.TraceID; !id.IsZero() {
		all = append(all, oneTerm(termOfText(aboutTraceID, string(id[:]))))
	}
	text(aboutFinding, q.Finding)
	text(aboutIdentity, q.ClientIdentity)
	text(aboutOutcome, string(q.Outcome))
	text(aboutOperation, q.Operation)
	return all
}

// keys are what a search knows of a record without decoding it.
type keys struct {
	kind   audit.Kind
	intent uint64 // index of the intent, of an outcome only
	micros int64  // Time in microseconds since 1970
	terms  []byte // packed: sorted, each once
}

// termBuffers are buffers for the terms of a record: each record needs one while its keys are made.
var termBuffers = sync.Pool{New: func() any { return new([]term) }}

// keysOf returns the keys of a record, and their encoding, which has the terms of both.
func keysOf(r *audit.Record, points bool) (keys, []byte) {
	buffer := termBuffers.Get().(*[]term)
	defer termBuffers.Put(buffer)
	*buffer = appendTerms((*buffer)[:0], r, points)
	k := keys{kind: r.Kind, intent: r.Intent, micros: r.Time.UnixMicro()}
	b := append(make([]byte, 0, 1+2*binary.MaxVarintLen64+len(*buffer)*termBytes), byte(k.kind))
	b = binary.AppendVarint(binary.AppendUvarint(b, k.intent), k.micros)
	start := len(b)
	b = packTerms(b, *buffer)
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

func (k *keys) hasTerm(t term) bool {
	n := len(k.terms) / termBytes
	i := sort.Search(n, func(i int) bool { return termAt(k.terms, i) >= t })
	return i < n && termAt(k.terms, i) == t
}

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
	if !ok || n <= 0 || (len(b)-n)%termBytes != 0 {
		return keys{}, fmt.Errorf("keys of a record: %w", frame.ErrDamaged)
	}
	k.intent, k.micros, k.terms = intent, micros, b[n:]
	return k, nil
}

func packTerms(b []byte, terms []term) []byte {
	for _, t := range terms {
		b = append(b, byte(t>>40), byte(t>>32), byte(t>>24), byte(t>>16), byte(t>>8), byte(t))
	}
	return b
}

func termAt(b []byte, i int) term {
	b = b[i*termBytes:][:termBytes]
	return term(b[0])<<40 | term(b[1])<<32 | term(b[2])<<24 | term(b[3])<<16 | term(b[4])<<8 | term(b[5])
}
