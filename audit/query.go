package audit

import (
	"slices"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// MaxTypes is how many CbteTipos of a Query a store looks up in an index: more than the service knows.
const MaxTypes = 64

// Query selects records. Zero values do not restrict, except for Kind.
//
// An outcome matches by its own fields and by its intent's, except for the index, and
// represents both: an intent is found itself only while it has no outcome.
type Query struct {
	// Log is the name of the log; it must be given.
	Log string
	// Kind is the kind of the record itself. 0 asks for exchanges: for all but
	// KindAccess and KindOutage, which are about the trail and the service. KindIntent asks for the open intents,
	// as those that have an outcome are not found themselves.
	Kind Kind
	// NoExchanges leaves KindExchange out, where Kind is 0: what was refused, answered again
	// or changed nothing.
	NoExchanges bool

	// ID and the four that follow are the record's or its intent's; so are the
	// issuer, the voucher and all up to Receiver.
	ID                                  string
	Node, ClientAddress, ClientIdentity string

	// ClientRow is the name of the client's row in the table by which the request was judged.
	ClientRow string

	// Cuit, PtoVta, CbteTipo, CbteTipos and Number are asked for together: one record must have
	// all of them.
	Cuit     wsfev1.CUIT
	PtoVta   int32
	CbteTipo int32
	// CbteTipos are types of which one is asked for, empty for no such bound. A store uses an index for up to
	// MaxTypes of them.
	CbteTipos []int32
	Number    int64 // CbteDesde <= Number <= CbteHasta; a range without its CbteDesde has no numbers
	// Cuits bounds a search to the records of these issuers, empty for no bound. A record that names its
	// issuer is that issuer's, whatever its intent says. KindAccess and KindOutage are about no issuer.
	Cuits []wsfev1.CUIT
	// Code is a CAE or CAEA.
	Code      string
	Operation string
	Outcome   Outcome
	// IdempotencyKey is the mark of a client's header (Record.IdempotencyKey).
	IdempotencyKey [16]byte
	// TraceID selects the exchanges of a trace, of which there may be several.
	TraceID TraceID
	// Finding is one of Record.Codes.
	Finding string
	// Receiver is one of Record.Receivers: the number of a document, such as a CUIT or a DNI. Content that is gone or
	// sealed is not found by it.
	Receiver int64

	// These are the record's own: an intent knows nothing of them yet.
	Resultado, Upstream string
	Decision            Decision
	Certainty           Certainty
	Status              int
	// MinDuration asks for records with such a Duration or a longer one.
	MinDuration time.Duration

	// Since is included, Until is not. Either time of an exchange may be within.
	Since, Until time.Time
	// Before selects records with a smaller index, 0 for all. The last index of a page asks for
	// the next one.
	Before uint64
	// From selects records with this index or a larger one. With Before it cuts a search that would look at
	// each record into parts that lose none and have none twice.
	From uint64
	// Limit is the largest number of records, 0 for no limit.
	Limit int

	// SummaryOnly says that the caller needs nothing of the content. A store may leave it unread
	// then, and the records are Unread; a query for a Finding or a Receiver reads it all the same. A content that is
	// damaged is not noticed.
	SummaryOnly bool
}

// Matches reports whether r matches the query. intent is the record that r links back to if r
// is an outcome, otherwise nil. Matches cannot know whether an intent has an outcome, and so is
// not to be found: that takes the whole log.
func (q *Query) Matches(r, intent *Record) bool {
	if q.Before != 0 && r.Index >= q.Before || r.Index < q.From || !q.Asks(r.Kind) || !q.matchesOwn(r) || !q.matchesIssuers(r, intent) {
		return false
	}
	for _, asks := range [...]func(*Query, *Record) bool{
		(*Query).matchesVoucher, (*Query).matchesCode, (*Query).matchesTime, (*Query).matchesFinding,
		(*Query).matchesIdempotencyKey, (*Query).matchesTraceID, (*Query).matchesReceiver,
	} {
		if !asks(q, r) && (intent == nil || !asks(q, intent)) {
			return false
		}
	}
	if intent == nil {
		intent = r
	}
	return matchesText(q.ID, r.ID, intent.ID) && matchesText(q.Node, r.Node, intent.Node) &&
		matchesText(q.ClientAddress, r.ClientAddress, intent.ClientAddress) &&
		q.matchesIdentity(r, intent) &&
		matchesText(q.ClientRow, r.ClientRow, intent.ClientRow) &&
		matchesText(q.Operation, r.Operation, intent.Operation) &&
		matchesText(q.Outcome, r.Outcome, intent.Outcome)
}

// Asks reports whether records of this kind are wanted.
func (q *Query) Asks(kind Kind) bool {
	if q.Kind == 0 {
		return kind != KindAccess && kind != KindOutage && (kind != KindExchange || !q.NoExchanges)
	}
	return kind == q.Kind
}

func (q *Query) matchesOwn(r *Record) bool {
	return matchesText(q.Resultado, r.Resultado) && matchesText(q.Decision, r.Decision) &&
		matchesText(q.Upstream, r.Upstream) && matchesText(string(q.Certainty), string(r.Certainty)) &&
		(q.Status == 0 || q.Status == r.Status) && r.Duration >= q.MinDuration
}

func (q *Query) matchesIssuers(r, intent *Record) bool {
	switch {
	case len(q.Cuits) == 0:
		return true
	case r.Kind == KindAccess || r.Kind == KindOutage:
		return false
	case r.Cuit == 0 && intent != nil:
		r = intent
	}
	return r.Cuit != 0 && slices.Contains(q.Cuits, r.Cuit)
}

// matchesText reports whether one of the texts is the one that is wanted.
func matchesText[T ~string](wanted T, texts ...T) bool {
	return wanted == "" || slices.Contains(texts, wanted)
}

func (q *Query) matchesVoucher(r *Record) bool {
	if q.Cuit != 0 && q.Cuit != r.Cuit ||
		q.PtoVta != 0 && q.PtoVta != r.PtoVta ||
		q.CbteTipo != 0 && q.CbteTipo != r.CbteTipo ||
		len(q.CbteTipos) > 0 && !slices.Contains(q.CbteTipos, r.CbteTipo) {
		return false
	}
	if q.Number == 0 {
		return true
	}
	for i := range r.Vouchers {
		if v := &r.Vouchers[i]; 0 < v.CbteDesde && v.CbteDesde <= q.Number && q.Number <= v.CbteHasta {
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

func (q *Query) matchesFinding(r *Record) bool {
	return q.Finding == "" || slices.Contains(r.Codes(), q.Finding)
}

func (q *Query) matchesReceiver(r *Record) bool {
	return q.Receiver == 0 || slices.Contains(r.Receivers(), q.Receiver)
}

func (q *Query) matchesIdempotencyKey(r *Record) bool {
	return q.IdempotencyKey == ([16]byte{}) || q.IdempotencyKey == r.IdempotencyKey
}

func (q *Query) matchesTraceID(r *Record) bool {
	return q.TraceID.IsZero() || q.TraceID == r.TraceID
}

func (q *Query) matchesTime(r *Record) bool {
	return (q.Since.IsZero() || !r.Time.Before(q.Since)) &&
		(q.Until.IsZero() || r.Time.Before(q.Until))
}
