package audit

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Query says which records are wanted. Zero values do not restrict.
//
// It asks for seven things, each by itself: the index (Before), the voucher (Cuit,
// PtoVta, CbteTipo and Number together), the Code, the Operation, the Outcome,
// the IdempotencyKey and the time.
//
// An outcome has, but for its index, what it has or what its intent has, and stands for both: an
// intent is found itself only while it has no outcome.
type Query struct {
	// Log is the name of the log; it must be given.
	Log       string
	Cuit      wsfev1.CUIT
	PtoVta    int32
	CbteTipo  int32
	Number    int64 // CbteDesde <= Number <= CbteHasta
	Code      string
	Operation string
	Outcome   string
	// IdempotencyKey is the mark of a client's header (Record.IdempotencyKey).
	IdempotencyKey [16]byte
	// Since is included, Until is not.
	Since, Until time.Time
	// Before asks for records with a smaller index, 0 for all: who has read a page
	// goes on from the last index on it.
	Before uint64
	// Limit is the largest number of records, 0 for no limit.
	Limit int
}

// Matches reports whether the query asks for r. The intent is the record that r
// links back to if r is an outcome, otherwise nil. That an intent with an outcome
// is not to be found is not looked at here: it takes the whole log to know.
func (q *Query) Matches(r, intent *Record) bool {
	if q.Before != 0 && r.Index >= q.Before {
		return false
	}
	for _, asks := range [...]func(*Query, *Record) bool{
		(*Query).matchesVoucher, (*Query).matchesCode, (*Query).matchesOperation,
		(*Query).matchesOutcome, (*Query).matchesTime, (*Query).matchesIdempotencyKey,
	} {
		if !asks(q, r) && (intent == nil || !asks(q, intent)) {
			return false
		}
	}
	return true
}

func (q *Query) matchesVoucher(r *Record) bool {
	if q.Cuit != 0 && q.Cuit != r.Cuit ||
		q.PtoVta != 0 && q.PtoVta != r.PtoVta ||
		q.CbteTipo != 0 && q.CbteTipo != r.CbteTipo {
		return false
	}
	if q.Number == 0 {
		return true
	}
	for i := range r.Vouchers {
		if v := &r.Vouchers[i]; v.CbteDesde <= q.Number && q.Number <= v.CbteHasta {
			return true
		}
	}
	return false
}

func (q *Query) matchesCode(r *Record) bool {
	if q.Code == "" {
		return true
	}
	for i := range r.Vouchers {
		if r.Vouchers[i].Code == q.Code {
			return true
		}
	}
	return false
}

func (q *Query) matchesOperation(r *Record) bool {
	return q.Operation == "" || q.Operation == r.Operation
}

func (q *Query) matchesOutcome(r *Record) bool {
	return q.Outcome == "" || q.Outcome == r.Outcome
}

func (q *Query) matchesIdempotencyKey(r *Record) bool {
	return q.IdempotencyKey == ([16]byte{}) || q.IdempotencyKey == r.IdempotencyKey
}

func (q *Query) matchesTime(r *Record) bool {
	return (q.Since.IsZero() || !r.Time.Before(q.Since)) &&
		(q.Until.IsZero() || r.Time.Before(q.Until))
}
