package audit

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Kind is the part of an exchange that a record holds.
type Kind uint8

const (
	// KindExchange is a whole exchange in one record: everything that changes
	// nothing upstream, and everything that was refused before an intent.
	KindExchange Kind = iota + 1
	// KindIntent is a request that is about to be sent.
	KindIntent
	// KindOutcome is the result of an intent.
	KindOutcome
	// KindAccess is a reading or a purge of the trail: an exchange with the trail itself.
	KindAccess
	// KindSettlement is the answer of the service to a question of the gateway about an intent
	// whose outcome was unknown.
	KindSettlement
	// KindOutage is a time in which the service did not answer.
	KindOutage
)

// String returns exchange, intent, outcome, access, settlement or outage.
func (k Kind) String() string {
	switch k {
	case KindExchange:
		return "exchange"
	case KindIntent:
		return "intent"
	case KindOutcome:
		return "outcome"
	case KindAccess:
		return "access"
	case KindSettlement:
		return "settlement"
	case KindOutage:
		return "outage"
	}
	return "unknown"
}

// Certainty tells how much is certain about the wire. It is never a boolean.
type Certainty string

const (
	// NotSent: nothing that the service could act upon has left. It may be repeated.
	NotSent Certainty = "not_sent"
	// Answered: an answer of the service arrived.
	Answered Certainty = "answered"
	// Unknown: something left and no answer arrived. Ask before you repeat.
	Unknown Certainty = "unknown"
)

// Presence is the state of a record's content.
type Presence uint8

const (
	// Present: it is there.
	Present Presence = iota
	// Purged: it was removed on purpose, as retention asks for.
	Purged
	// Sealed: it is encrypted, and the store was opened without the key.
	Sealed
	// Unread: the query did not ask for it (Query.SummaryOnly). No store keeps a record so.
	Unread
)

// String returns present, purged, sealed or unread.
func (p Presence) String() string {
	return [...]string{"present", "purged", "sealed", "unread"}[p]
}

// BuiltInUpstream is the Upstream in records of exchanges with the built-in service. It sets
// invented answers apart from real ones.
const BuiltInUpstream = "wsfev1_backend"

// Record is the evidence of an exchange. Its texts are valid UTF-8.
//
// It has two parts (Form). The fields marked as content can be purged: they hold the bodies
// and texts of an exchange. The others, the summary, stay as long as the trail.
type Record struct {
	// Log is the name of the log that holds the record, Index its position in
	// it, counted from 0. Writer.Append sets both.
	Log   string
	Index uint64
	Kind  Kind
	// ID is the exchange's own identifier, the same in intent and outcome.
	ID string
	// Intent is the index of the intent; only an outcome and a settlement have one.
	// IntentLog is the log of the intent, empty for the record's own: one process may settle
	// what another one has left open.
	Intent    uint64
	IntentLog string

	// Time is when the exchange began, to the microsecond; Duration what it took
	// until the record was made (0 in an intent).
	Time     time.Time
	Duration time.Duration
	// Node names the gateway; ClientAddress is the client's IP address;
	// ClientIdentity the authenticated user or the TLS client certificate's
	// subject, where there is one.
	Node, ClientAddress, ClientIdentity string

	// Operation is the operation's name; empty if the request named none.
	Operation string
	Cuit      wsfev1.CUIT
	PtoVta    int32
	CbteTipo  int32
	// Vouchers are the invoices that the exchange is about, in the order of the
	// request: number range, CAE or CAEA, Resultado of each.
	Vouchers []Voucher
	// Resultado is the answer's own verdict on the whole: A, R, P or no text.
	Resultado string

	// Decision and Outcome are words of finite lists (Decisions, Outcomes).
	Decision  Decision
	Outcome   Outcome
	Certainty Certainty
	Findings  []Finding

	// Status is the HTTP status given to the client, or to one of JSON in its place; 0 in an
	// intent. Upstream is the server
	// that was asked: an address, or wsfev1_backend for the built-in service.
	Status   int
	Upstream string
	// RequestLength is the length in bytes of the request body as it arrived; so with
	// the answer.
	RequestLength, AnswerLength int64
	// Fingerprint is a keyed hash of the request without its credentials, IdempotencyKey one
	// of the client's header of that name. Equal inputs give equal hashes; the key stays with
	// the store. Zeros mean none.
	Fingerprint, IdempotencyKey [16]byte
	// SentFingerprint is the fingerprint of the request as the service got it, if the gateway has completed what
	// came; else zeros.
	SentFingerprint [16]byte
	// Origin is the address of the record whose answer was given again, for a replay or an answer from the
	// cache. Records of builds before 2026-12 have it in Detail alone.
	Origin string
	// Cause is why there was no answer, empty if there was one or the gateway could not tell. Records of
	// builds before 2026-12 have none.
	Cause Cause
	// ClientTable is the address of the record that has the table of clients by which the request was judged,
	// empty if there was none. ClientRow is the name of the row that the client has in it, empty for none of
	// the clients. Records of builds before 2026-12 have neither.
	ClientTable, ClientRow string
	// Certificate describes the certificate that the gateway had logged in with for the ticket of the request:
	// alias, CUIT and end. It is empty for a ticket of the client, and in records of builds before 2026-12.
	Certificate string

	// Way is by which way the trail was read (WayConsole, WayCommand), empty in all other records. Records of
	// builds before 2026-12 have none; Reader knows theirs.
	Way Way

	// Environment is the kind of service that the exchange was with, or would have been. It is empty where the
	// gateway could not tell, in records that are no exchanges, and in records of builds before 2026-12.
	Environment Environment

	// Purge is what a record of a purge permits, nil in all others (AccessPurge,
	// AccessAcknowledge).
	Purge *PurgeScope

	// TraceID is the trace that the exchange is a part of.
	TraceID TraceID

	// Client is the client's side of the exchange, where it speaks another form than JSON; nil
	// if Request and Answer are the client's own. Its bodies and digests are content.
	Client *Leg
	// Service is the service's side in the same way. A body with the same digest as Client's is the
	// same body, and is kept there.
	Service *Leg

	// Presence: only if it is Present, the fields below are set. It is not part of the form.
	Presence Presence

	// Salt is random: a purged content cannot be found by trying. Append sets it. It is
	// content, as all that follows.
	Salt [16]byte
	// Detail is the inner error's text, for operators; in a record of KindAccess what
	// was asked for.
	Detail string
	// RequestDigest is the SHA-256 of the request body as it arrived, or of the same in JSON if
	// there is a Client; so with the answer. Bodies are kept with their credentials replaced; a
	// body that is not JSON is not kept. Where fields are hidden the digests are keyed ones.
	RequestDigest, AnswerDigest [32]byte
	Request, Answer             []byte
}

// Voucher is one invoice of an exchange.
type Voucher struct {
	CbteDesde, CbteHasta int64
	// Code is the CAE or CAEA, empty if there is none; Expires the CAEFchVto of a
	// CAE, yyyymmdd.
	Code, Expires string
	Resultado     string
}

// Finding is one thing that was wrong.
type Finding struct {
	Code, Severity, Pointer, Action string
	// These, and Difference, are content: they quote the exchange.
	Text, Expected, Got, Tolerance string
	// Difference is the difference of Expected and Got, if they are figures.
	Difference string
}
