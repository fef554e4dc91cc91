package gateway

import (
	"time"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
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
	// sent is the fingerprint of a request into which something was filled in, else zeros.
	sent [16]byte
}

// outgoing is the request with a keeper's ticket. It is empty for a request that is sent with the client's own.
type outgoing struct {
	request *validate.Request
	body    []byte
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
	// readyAt is when the request was ready to be sent: when its intent was durable, if it has one.
	readyAt once.Instant
	// lostAt is when the loss of the answer was reported to the monitor, zero if it was not. reported: the
	// monitor has its result.
	lostAt   time.Time
	reported bool
	// lost is how the answer was lost for which the service was queried, lostAnswer the unusable answer as it
	// may be recorded; both empty for none.
	lost, lostAnswer string
	// state is recordPending or recordLost for an exchange that went on without a durable
	// record, empty for all others.
	state string
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
