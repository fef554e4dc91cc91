package exchange

import (
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/flights"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/learned"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// Way is how one gateway leads its exchanges: its settings, and the parts that its exchanges share. It is
// safe for concurrent use, and its exported fields do not change once the configuration runs.
type Way struct {
	Policy Policy
	// Book decides about requests.
	Book *intake.Book
	// Trail are the options of the trail.
	Trail *trail.Options
	// Keepers give access tickets, nil for none.
	Keepers *tickets.Keepers
	// Service is the environment of the service, as the configuration tells it; empty if it does not.
	Service audit.Environment
	// Breaker refuses requests while the service does not answer.
	Breaker *outage.Options

	// MaxBody and MaxAnswer are the largest body and the largest answer, in bytes. Bodies and Answers bound
	// the memory that all of them take.
	MaxBody, MaxAnswer int64
	Bodies             *binding.MemoryBudget
	Answers            *binding.AnswerBudget
	// Slots limit how many requests are at the service at a time, and Deadlines how long one may take, for
	// every family. MaxWait is how long a request waits for a slot, and for memory.
	Slots     map[wsfev1.Family]*limit.Limit
	Deadlines map[wsfev1.Family]time.Duration
	MaxWait   time.Duration

	// Learned is what clients have been told by the service, for the rules.
	Learned *learned.Figures
	// Flights are the exchanges under way, of all gateways of a configuration.
	Flights *flights.Flights
	// Announce logs coming changes of the rules, at most once a day, for requests as of this time.
	Announce func(time.Time)

	Logger *zap.Logger
	// Alarm is for errors that every exchange meets while they last, and StrayLog for requests that anybody
	// sends: each logs a part of them.
	Alarm, StrayLog *zap.Logger

	// Now is the time that is recorded and measured: always the machine's. Effective returns the time that
	// the rules apply at: the built-in service's, if the configuration has one. Instant measures how long a
	// request has been ready.
	Now       func() time.Time
	Effective func(time.Time) time.Time
	Instant   func() clocks.Instant

	strays strays
	// warned: warnOfAnybody has logged.
	warned atomic.Bool
}

// Policy is the resolved form of a gateway's options, so that no request compares the texts of a
// configuration.
type Policy struct {
	// Once are the settings of exactly once.
	Once once.Policy
	// Replay: a repeat is answered from the trail. Recover: the service is queried about a request without an
	// answer. Cache: answers that change rarely are cached.
	Replay, Recover, Cache bool
	// CacheTTL is how long an answer is given without asking the service, CacheStale how old one may be that
	// is given because the service has none.
	CacheTTL, CacheStale time.Duration
	// QR: answers have a header with the QR codes of approved invoices. SOAP: clients may speak SOAP.
	QR, SOAP bool
	// Predict: numbers are compared with the last one. RefuseUnsequenced: a number that the service confirms
	// to be wrong is refused.
	Predict, RefuseUnsequenced bool
	// QueryTime is how long a query may take while a client waits.
	QueryTime time.Duration
}

// repeats reports whether a request that changes something may be repeated without being
// carried out twice: a known result is answered from the trail, and for an intent without a
// result the service is queried first.
func (p *Policy) repeats(place record.Place) bool { return place.Intended && p.Replay && p.Recover }

// activeMonitor returns the monitor whose breaker may refuse requests, nil with the breaker off.
func (way *Way) activeMonitor(t *trail.Trail) *outage.Monitor {
	if way.Breaker.Off {
		return nil
	}
	return way.monitor(t)
}

// monitor returns the monitor of the gateway's service, also with the breaker off.
func (way *Way) monitor(t *trail.Trail) *outage.Monitor { return t.Monitor(way.Breaker.Service) }

// Tune sets the threshold and the cooldown of the breaker, which outlives configurations.
func (way *Way) Tune(t *trail.Trail) {
	if m := way.activeMonitor(t); m != nil {
		m.Breaker.Tune(way.Breaker.Threshold(), way.Breaker.Cooldown())
	}
}
