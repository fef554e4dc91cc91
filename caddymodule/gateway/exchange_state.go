package gateway

import (
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/fill"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// memory is the memory that the exchange reserves. It is released when the answer is on its way.
type memory struct {
	body   binding.Reservation
	answer *binding.AnswerReservation
}

// marks are keyed digests of the request, zero until they are needed. takeTurn and fromCache set them.
type marks struct {
	// caller is credentialMark.
	caller                      [16]byte
	fingerprint, idempotencyKey [16]byte
}

// outgoing replaces the request on its way to the service. fill and complete set it; it is empty for a
// request that is sent as it came.
type outgoing struct {
	request *validate.Request
	body    []byte
	// fingerprint is the fingerprint of a request into which something was filled in, else zeros.
	fingerprint [16]byte
	// filled lists the values that the option fill has put into the request, nil for none.
	filled *fill.Completed
	// ticket is the keeper's, nil for the client's own. mask finds it in the answer.
	ticket *client.Ticket
	mask   *answerMask
	// refused: an answer that echoes the ticket means that it is refused itself.
	refused bool
	// lacking is why there is no ticket, nil if there is one or none is needed.
	lacking *noTicketError
}

// sequencing is the request's place in its series and among its repeats. takeTurn sets it,
// recover adds to it, leaveTurn ends it.
type sequencing struct {
	// turn is the right to send, from takeTurn to leaveTurn. request is the request of the
	// turn, service the client to query the service about it.
	turn    *once.Turn
	request *once.Request
	service *serviceClient
	// pending is the request that is settled in the background after the exchange.
	pending *once.Pending
	// repeated: the answer repeats an earlier exchange's. origin is the address of its record.
	repeated bool
	origin   string
	// lost is how the answer was lost for which the service was queried, lostAnswer the
	// unusable answer as it may be recorded; both empty for none.
	lost, lostAnswer string
}

// recording is the state of the exchange's records in the trail. intend and writeRecord set it.
type recording struct {
	intent     uint64
	intended   bool
	owedIntent *trail.Entry // the intent, if it had to wait in the backlog of the trail
	uncovered  bool         // it went on without a durable intent
	// done: step 7 is done. durable: index is the index of the exchange's last record.
	done, durable bool
	index         uint64
	// state is recordPending or recordLost for an exchange that went on without a durable
	// record, empty for all others.
	state string
}

// forwarding is what became of the request on its way to the service. intend sets readyAt,
// forward most of it, reportLoss and report the rest.
type forwarding struct {
	forwarded bool
	// readyAt is when it was ready to be sent: when its intent was durable, if it has one.
	readyAt once.Instant
	// departedAt is when it was forwarded; lostAt when the loss of its answer was reported to
	// the monitor, zero if it was not. reported: the monitor has its result.
	departedAt, lostAt time.Time
	reported           bool
	certainty          audit.Certainty
	// lossClass is the class of a failure between the gateway and the service, also if the
	// answer was recovered since; empty for none.
	lossClass audit.Failure
	// lostCame is what another program answered, in a few words of Spanish.
	lostCame string
	// cause is why there was no answer, empty if there was one.
	cause    audit.Cause
	upstream string
	duration time.Duration
	// leg is the exchange as an upstream has had it that speaks SOAP, nil for any other.
	leg *binding.UpstreamLeg
	// anew is what in the client's message such an upstream might have read differently, so that it was
	// written anew; 0 for nothing.
	anew soap.Constructs
}

// received is the answer as far as it is understood. The step that has an answer sets it.
type received struct {
	// typed is the upstream's answer, nil for any other. read is the body that it was read from.
	typed   any
	read    []byte
	verdict wsfev1.Verdict
	// wellFormed: it has the operation's shape.
	wellFormed bool
	// reading is what it proves about a request that changes something.
	reading outcome.Reading
	// cached names the record and the age of a cached answer, empty if the answer is not from
	// the cache. origin is the record's address, empty while it is owed.
	cached, origin string
}

func (m *memory) release() {
	m.body.Release()
	m.answer.Release()
}
