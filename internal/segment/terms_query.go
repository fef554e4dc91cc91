package segment

import (
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/term"
	"github.com/fielato/fielato/wsfev1"
)

// alternatives are terms; a record must have one of them, or lack the term unless, if that is not 0.
type alternatives struct {
	terms  []term.Term
	unless term.Term
}

func oneTerm(t term.Term) alternatives { return alternatives{terms: []term.Term{t}} }

func anyIssuer(cuits []wsfev1.CUIT) (any alternatives) {
	for _, cuit := range cuits {
		any.terms = append(any.terms, term.Of(aboutCuit, uint64(cuit)))
	}
	return any
}

// termsOfQuery returns what every record that the query matches has: one of each, those
// that fewest records have first. What another of them implies is left out.
func termsOfQuery(q *audit.Query, vault *Vault) []alternatives {
	var all []alternatives
	cuit, pto := uint64(q.Cuit), uint64(q.PtoVta)
	text := func(about uint64, wanted ...string) {
		var any alternatives
		for _, one := range wanted {
			any.terms = append(any.terms, term.OfText(about, one))
		}
		if wanted[0] != "" {
			all = append(all, any)
		}
	}
	if len(q.Cuits) > 0 && !slices.Contains(q.Cuits, q.Cuit) {
		// They come first: how long a search takes must not depend on what others' records hold.
		all = append(all, anyIssuer(q.Cuits))
	}
	text(aboutID, q.ID)
	text(aboutCode, q.Code)
	types := typesOf(q)
	if q.Cuit != 0 && q.PtoVta != 0 && len(types) > 0 {
		var any alternatives
		for _, tipo := range types {
			if q.Number == 0 {
				any.terms = append(any.terms, term.Of(aboutSeries, cuit, pto, tipo))
				continue
			}
			any.terms = append(any.terms, term.Of(aboutNumber, cuit, pto, tipo, uint64(q.Number)), term.Of(aboutWide, cuit, pto, tipo))
		}
		all = append(all, any)
	} else {
		if q.PtoVta != 0 && q.Number != 0 {
			all = append(all, pointsOfQuery(q, types)...)
		}
		if q.Cuit != 0 {
			all = append(all, oneTerm(term.Of(aboutCuit, cuit)))
		}
	}
	if q.Receiver != 0 {
		all = append(all, vault.ofReceiver(q.Receiver)...)
	}
	if q.Kind > audit.KindOutcome {
		all = append(all, oneTerm(term.Of(aboutKind, uint64(q.Kind))))
	}
	if key := q.IdempotencyKey; key != ([16]byte{}) {
		all = append(all, oneTerm(term.OfText(aboutIdempotencyKey, string(key[:]))))
	}
	if id := q.TraceID; !id.IsZero() {
		all = append(all, oneTerm(term.OfText(aboutTraceID, string(id[:]))))
	}
	text(aboutFinding, q.Finding)
	text(aboutIdentity, q.Identities()...)
	text(aboutOutcome, string(q.Outcome))
	text(aboutOperation, q.Operation)
	return all
}

// pointsOfQuery returns what a record with the number has, of one of the types if there are any.
func pointsOfQuery(q *audit.Query, types []uint64) (all []alternatives) {
	pto, number := uint64(q.PtoVta), uint64(q.Number)
	if len(types) > 0 {
		typed := alternatives{terms: []term.Term{term.Of(aboutWidePoint, pto)}, unless: hasReceivers}
		for _, tipo := range types {
			typed.terms = append(typed.terms, term.Of(aboutTypedPoint, pto, tipo, number))
		}
		all = append(all, typed)
	}
	return append(all, alternatives{terms: []term.Term{term.Of(aboutPoint, pto, number), term.Of(aboutWidePoint, pto)}, unless: hasPoints})
}

// typesOf returns the types of voucher that a query asks for, none if it asks for too many to look them up.
func typesOf(q *audit.Query) (types []uint64) {
	if q.CbteTipo != 0 {
		return []uint64{uint64(q.CbteTipo)}
	}
	if len(q.CbteTipos) > audit.MaxTypes {
		return nil
	}
	for _, tipo := range q.CbteTipos {
		types = append(types, uint64(tipo))
	}
	return types
}
