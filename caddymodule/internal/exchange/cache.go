package exchange

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/learned"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/record"
	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// DefaultCacheTTL is the default of Policy.CacheTTL. It is short enough that a new point of
	// sale shows while its owner still looks for it; tables change on announced days.
	DefaultCacheTTL = 5 * time.Minute
	// DefaultCacheStale is the default of Policy.CacheStale. It is longer than the known outages of
	// the service.
	DefaultCacheStale = 24 * time.Hour
)

// isCacheable reports whether answers of the operation may be cached: those that are neither
// about an invoice nor about numbers.
func isCacheable(op *wsfev1.Operation) bool {
	return op.Effect == wsfev1.EffectNone && (op.Family == wsfev1.FamilyTable || op.Name == "FECompTotXRequest")
}

// issuerOperations are the cacheable operations whose answers differ by issuer.
var issuerOperations = []string{"FEParamGetPtosVenta", "FEParamGetActividades"}

// maxCached is the maximum size of a cached answer in bytes: tables of the service have a
// tenth of it. A full cache holds 256 MiB at the very most.
const maxCached = 256 << 10

// cachedAnswer is the service's answer to a cacheable operation. It is the same for all clients that may
// have it.
type cachedAnswer struct {
	body       []byte
	wellFormed bool
	// address is the address of the record of the answer, empty while that is owed; exchange identifies
	// the exchange then.
	address, exchange string
	// content is the digest of the table itself.
	content [sha256.Size]byte
	// taught is its lesson for the rules.
	taught learned.Lesson
}

// name names the record of the answer for people.
func (c *cachedAnswer) name() string { return record.Name(c.address, c.exchange) }

// fromCache answers a cacheable operation: from the cache, or by one query to the service for
// all clients that ask the same at the same time.
func (x *exchange) fromCache() bool {
	x.spans.Enter("cache")
	if !x.way.Policy.Cache || !isCacheable(x.Decision.Operation) {
		return true
	}
	x.Marks.Fingerprint = markerOf(&x.Facts, x.trail).of(x.Decision.Request.Body)
	judged, look, group := len(x.Findings), lookupOf(x), ""
	if x.Decision.KeptTicket {
		group = x.way.Keepers.Certificate(x.Decision.Subject.Cuit)
	}
	found, freshness, err := x.trail.Cache.Get(x.r.Context(), look.key(), cache.Source{
		TTL: x.way.Policy.CacheTTL, MaxStale: x.way.Policy.CacheStale,
		Caller: string(look.credentials[:]), Group: group, Trusted: func() bool { return x.Decision.KeptTicket || x.caller.accepted(&x.Facts) },
		Fetch:    func(context.Context) (*cache.Cached, error) { return x.fetch() },
		Recall:   func(context.Context) (*cache.Cached, error) { return look.recall(x.detachedFor) },
		Replaced: look.replaced,
	})
	if err == nil && found != nil {
		x.way.Learned.Learn(learned.Asked{Operation: x.Decision.Operation.Name, Request: x.Decision.Request.Body, At: x.Effective},
			found.Answer.(*cachedAnswer).taught, x.way.Logger, x.Field())
	}
	cacheRequests.WithLabelValues(x.Decision.Operation.Name, cacheResults[freshness]).Inc()
	switch {
	case freshness == cache.Fetched:
		return false // the exchange has the service's answer, or a refusal
	case isWithoutTicket(err):
		return x.Result.Refuse(binding.NoTicket(err, retryAfter(err)))
	case errors.Is(err, limit.ErrFull):
		return x.Result.Refuse(noSlot(err, x.Sender))
	case err != nil:
		return x.Result.Refuse(binding.Unanswered(audit.NotSent, x.Decision.Operation.Effect, true, err))
	}
	if !x.journal.done {
		answerFrom(&x.Facts, x.way.Now(), found, freshness)
		return false
	}
	// The service was asked in vain, or could not be: that has its record, and the cached answer gets another.
	x.fallback = x.newFallback(judged)
	answerFrom(&x.fallback.Facts, x.way.Now(), found, freshness)
	return false
}

// fetch queries the service and writes the record, which a cached answer refers to.
func (x *exchange) fetch() (*cache.Cached, error) {
	x.consult()
	x.record()
	x.caller.accept(&x.Facts, x.way.Keepers)
	switch f := x.Result.Refusal; {
	case x.IsAbandoned(x.r.Context()):
		return nil, cache.ErrLeft
	case x.noTicket != nil:
		return nil, x.noTicket
	case f != nil && !x.Sent.Forwarded && errors.Is(f, limit.ErrFull):
		return nil, fmt.Errorf("%w: %w", cache.ErrNotAsked, limit.ErrFull)
	}
	if x.Result.Refusal != nil || x.Result.Outcome == audit.OutcomeUpstreamError || slices.ContainsFunc(x.Result.Verdict.Codes, outcome.IsServiceFailure) {
		// Other clients see this text: it quotes nothing of the exchange.
		return nil, fmt.Errorf("the service was asked and has not answered (%s), see %s", x.Result.Outcome, record.Name(x.RecordAddress(), x.ID))
	}
	body := x.Result.Reply.Body
	if x.Result.Outcome != audit.OutcomeAnswered || x.Result.Verdict.Failed || len(body) > maxCached || !x.IsForAll(body) {
		return nil, nil
	}
	content, err := contentOf(x.Result.Typed)
	if err != nil {
		return nil, nil //nolint:nilerr // the client gets it all the same
	}
	return &cache.Cached{At: x.way.Now(), Answer: &cachedAnswer{
		body: bytes.Clone(body), wellFormed: x.Result.WellFormed, address: x.RecordAddress(), exchange: x.ID, content: content,
		taught: learned.LessonOf(x.Decision.Request.Body, x.Result.Typed),
	}}, nil
}

// answerFrom answers with a cached answer.
func answerFrom(f *record.Facts, now time.Time, found *cache.Cached, freshness cache.Freshness) {
	answer := found.Answer.(*cachedAnswer)
	age := max(now.Sub(found.At), 0)
	f.Result.Reply = binding.Reply{Status: http.StatusOK, Body: answer.body, Header: http.Header{
		"Content-Type": {"application/json"}, "Age": {strconv.FormatInt(int64(age/time.Second), 10)},
	}}
	f.Result.WellFormed, f.Result.Outcome, f.Result.Origin = answer.wellFormed, audit.OutcomeCached, answer.address
	f.Result.Cached = fmt.Sprintf("answered as %s, %s old", answer.name(), age.Truncate(time.Second))
	if freshness == cache.Stale {
		f.Result.Cached += ": the service gave no answer"
	}
}

// lookup is the query that an exchange makes to the cache.
type lookup struct {
	facts       *record.Facts
	caller      *caller
	credentials [16]byte
	logger      *zap.Logger
	alarm       func(message string, err error)
}

func lookupOf(x *exchange) *lookup {
	return &lookup{&x.Facts, &x.caller, x.caller.mark(&x.Facts), x.way.Logger, x.alarm}
}

// key identifies the query, to the gateway's environment. A query for a rate without a date asks for the rate of
// the day, so the key has the day. Clients with their own ticket do not share the answers to queries with a
// keeper's ticket: a keeper has failures of its own.
func (l *lookup) key() string {
	f := l.facts
	key := f.Decision.Operation.Name + string(f.Marks.Fingerprint[:]) + string(f.Service)
	if l.isAboutIssuer() {
		key += string(l.credentials[:])
	}
	if f.Decision.KeptTicket {
		key += "wsaa"
	}
	if l.isRateOfTheDay() {
		key += string(wsfev1.DateOf(f.Effective))
	}
	return key
}

func (l *lookup) isAboutIssuer() bool {
	return slices.Contains(issuerOperations, l.facts.Decision.Operation.Name)
}

func (l *lookup) isRateOfTheDay() bool {
	asked, ok := l.facts.Decision.Request.Body.(*wsfev1.FEParamGetCotizacionRequest)
	return ok && asked.FchCotiz == ""
}

// replaced logs and counts a table that has changed.
func (l *lookup) replaced(before, after *cache.Cached) {
	was, is := before.Answer.(*cachedAnswer), after.Answer.(*cachedAnswer)
	if was.content == is.content {
		return
	}
	operation := l.facts.Decision.Operation.Name
	tableChanges.WithLabelValues(operation).Inc()
	l.logger.Info("the service has changed a table", zap.String("operation", operation),
		l.facts.Field(), zap.Stringer("cuit", l.facts.Decision.Subject.Cuit), zap.String("before", was.name()), zap.String("after", is.name()))
}
