package segment

import (
	"context"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/term"
)

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
	// aboutTypedPoint stands for a number, for a search that names the type and not the issuer.
	aboutTypedPoint
	aboutReceiver
	aboutManyReceivers
	aboutReceivers
)

// build is which terms a record has. Later builds have made more.
type build uint8

const (
	// firstBuild had no terms but those that all builds have.
	firstBuild build = iota
	// withPoints has terms for points of sale.
	withPoints
	// withReceivers has terms for points of sale and types too, and for receivers.
	withReceivers
)

// These are terms of each record of a build that makes such terms, if it has numbers or receivers. Records of earlier
// builds do not have them.
var (
	hasPoints    = term.Of(aboutPoints)
	hasReceivers = term.Of(aboutReceivers)
)

// marks are the terms that tell the builds apart.
var marks = [...]term.Term{withPoints: hasPoints, withReceivers: hasReceivers}

// buildOf returns the build that has made the keys.
func (k *keys) build() build {
	for b := withReceivers; b > firstBuild; b-- {
		if k.hasTerm(marks[b]) {
			return b
		}
	}
	return firstBuild
}

// wideRange is the longest range of numbers with a term for each. A longer one has one term for wide ranges.
const wideRange = 32

// appendTerms appends the terms of a record to an empty list, sorted, each once, as a build has made them. Without a
// key the receivers are left out.
func appendTerms(terms []term.Term, r *audit.Record, by build, key term.Key) []term.Term {
	cuit, pto, tipo := uint64(r.Cuit), uint64(r.PtoVta), uint64(r.CbteTipo)
	terms = append(slices.Grow(terms, 10+5*len(r.Vouchers)+len(r.Findings)),
		term.Of(aboutCuit, cuit), term.Of(aboutSeries, cuit, pto, tipo),
		term.OfText(aboutOperation, r.Operation), term.OfText(aboutOutcome, string(r.Outcome)), term.OfText(aboutID, r.ID))
	if r.ClientIdentity != "" {
		terms = append(terms, term.OfText(aboutIdentity, r.ClientIdentity))
	}
	if key := r.IdempotencyKey; key != ([16]byte{}) {
		terms = append(terms, term.OfText(aboutIdempotencyKey, string(key[:])))
	}
	if id := r.TraceID; !id.IsZero() {
		terms = append(terms, term.OfText(aboutTraceID, string(id[:])))
	}
	if r.Kind > audit.KindOutcome {
		terms = append(terms, term.Of(aboutKind, uint64(r.Kind)))
	}
	terms = append(terms, marks[1:by+1]...)
	if by >= withReceivers && key != nil {
		terms = appendReceivers(terms, r, key)
	}
	for _, code := range r.Codes() {
		terms = append(terms, term.OfText(aboutFinding, code))
	}
	for i := range r.Vouchers {
		v := &r.Vouchers[i]
		if v.Code != "" {
			terms = append(terms, term.OfText(aboutCode, v.Code))
		}
		if v.CbteHasta < v.CbteDesde {
			continue
		}
		further := uint64(v.CbteHasta) - uint64(v.CbteDesde)
		if further >= wideRange {
			if terms = append(terms, term.Of(aboutWide, cuit, pto, tipo)); by >= withPoints {
				terms = append(terms, term.Of(aboutWidePoint, pto))
			}
			continue
		}
		// Counted, not compared: a client can send the largest number, or -1, which is that as
		// a uint64, and nothing is beyond it.
		for i := range further + 1 {
			number := uint64(v.CbteDesde) + i
			if terms = append(terms, term.Of(aboutNumber, cuit, pto, tipo, number)); by >= withPoints {
				terms = append(terms, term.Of(aboutPoint, pto, number))
			}
			if by >= withReceivers {
				terms = append(terms, term.Of(aboutTypedPoint, pto, tipo, number))
			}
		}
	}
	return term.Sort(terms)
}

// manyReceivers is how many receivers get a term each. For more, as a client may send, there is one term for all.
const manyReceivers = 1024

// ProvideSecret gives the vault the keys of receivers (term.Keys). Without them records are written without terms of
// receivers, and found by looking at each.
func (v *Vault) ProvideSecret(ctx context.Context, store audit.Store, writing bool) (err error) {
	v.receivers, err = term.KeysOf(ctx, store, v.master, writing)
	return err
}

// appendReceivers appends the terms of the receivers of a record.
func appendReceivers(terms []term.Term, r *audit.Record, key term.Key) []term.Term {
	receivers := r.Receivers()
	if len(receivers) > manyReceivers {
		return append(terms, term.Of(aboutManyReceivers))
	}
	return key.Append(terms, aboutReceiver, receivers)
}

// ofReceiver returns the terms of a record with this receiver. Content is sealed or not, also within one log.
func (v *Vault) ofReceiver(number int64) (all []alternatives) {
	if v.receivers.Plain == nil {
		return nil // each record is looked at
	}
	any := alternatives{terms: []term.Term{v.receivers.Plain.Of(aboutReceiver, number), term.Of(aboutManyReceivers)}, unless: hasReceivers}
	if v.receivers.Sealed != nil {
		any.terms = append(any.terms, v.receivers.Sealed.Of(aboutReceiver, number))
	}
	return []alternatives{any}
}
