package gateway

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
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// DefaultCacheTTL is the default of cache_ttl. It is short enough that a new point of
	// sale shows while its owner still looks for it; tables change on announced days.
	DefaultCacheTTL = 5 * time.Minute
	// DefaultCacheStale is the default of cache_stale. It is longer than the known outages of
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

// maxKeptTable is the maximum size of a cached answer in bytes: tables of the service have a
// tenth of it. A full cache holds 256 MiB at the very most.
const maxKeptTable = 256 << 10

// keptTable is a cached answer. It is the same for all clients that may have it.
type keptTable struct {
	body       []byte
	wellFormed bool
	// address is the address of the record of the answer, empty while that is owed; exchange identifies
	// the exchange then.
	address, exchange string
	// content is the digest of the table itself.
	content [sha256.Size]byte
	// rate is the exchange rate in the answer to a FEParamGetCotizacion, nil for other answers.
	rate *wsfev1.Cotizacion
	// listed are the codes of a table that requests are held against, nil for other answers.
	listed *listedCodes
	// lot is the figure of a FECompTotXRequest, 0 for other answers.
	lot int32
}

// fromCache answers a cacheable operation: from the cache, or by one query to the service for
// all clients that ask the same at the same time.
func (x *exchange) fromCache() bool {
	if !x.gateway.policy.cache || !isCacheable(x.in.Operation) {
		return true
	}
	x.setFingerprint()
	judged := len(x.findings)
	credentials := x.credentialMark()
	kept, freshness, err := x.trail.Cache.Get(x.r.Context(), x.cacheKey(credentials), cache.Source{
		TTL: time.Duration(x.gateway.CacheTTL), MaxStale: time.Duration(x.gateway.CacheStale),
		Caller: string(credentials[:]), Trusted: func() bool { return x.in.KeptTicket || x.trail.CredentialCache.Has(credentials) },
		Fetch:    func(context.Context) (*cache.Cached, error) { return x.fetch() },
		Recall:   func(context.Context) (*cache.Cached, error) { return x.recall(credentials) },
		Replaced: x.replaced,
	})
	if err == nil {
		x.learnRate(kept)
		x.learnTable(kept)
		x.learnLot(kept)
	}
	cacheRequests.WithLabelValues(x.in.Operation.Name, cacheResults[freshness]).Inc()
	switch {
	case freshness == cache.Fetched:
		return false // the exchange has the service's answer, or a refusal
	case isWithoutTicket(err):
		return x.refuse(binding.NoTicket(err, retryAfter(err)))
	case err != nil:
		return x.refuse(binding.Unanswered(audit.NotSent, x.in.Operation.Effect, true, err))
	}
	if !x.sent.Forwarded {
		x.answerFrom(kept, freshness)
		return false
	}
	// The service was asked in vain: that has its record, and the cached answer gets another.
	y := x.newFallback(judged)
	y.answerFrom(kept, freshness)
	x.fallback = y
	return false
}

// cacheKey identifies the query. A query for a rate without a date asks for the rate of the day, so
// the key has the day. Clients with their own ticket do not share the answers to queries with a
// keeper's ticket: a keeper has failures of its own.
func (x *exchange) cacheKey(credentials [16]byte) string {
	key := x.in.Operation.Name + string(x.marks.fingerprint[:])
	if slices.Contains(issuerOperations, x.in.Operation.Name) {
		key += string(credentials[:])
	}
	if x.in.KeptTicket {
		key += "wsaa"
	}
	if x.isRateOfTheDay() {
		key += string(wsfev1.DateOf(x.judged))
	}
	return key
}

func (x *exchange) isRateOfTheDay() bool {
	asked, ok := x.in.Request.Body.(*wsfev1.FEParamGetCotizacionRequest)
	return ok && asked.FchCotiz == ""
}

// fetch queries the service and writes the record, which a cached answer refers to.
func (x *exchange) fetch() (*cache.Cached, error) {
	x.consult()
	x.writeRecord()
	x.accept()
	if x.noTicket != nil {
		return nil, x.noTicket
	}
	if x.refusal != nil || x.outcome == audit.OutcomeUpstreamError || slices.ContainsFunc(x.answer.verdict.Codes, outcome.IsServiceFailure) {
		// Other clients see this text: it quotes nothing of the exchange.
		return nil, fmt.Errorf("the service was asked and has not answered (%s), see %s", x.outcome, recordName(x.recordAddress(), x.id))
	}
	if x.outcome != audit.OutcomeAnswered || x.answer.verdict.Failed || len(x.reply.Body) > maxKeptTable || !x.isForAll(x.reply.Body) {
		return nil, nil
	}
	content, err := contentOf(x.answer.typed)
	if err != nil {
		return nil, nil //nolint:nilerr // the client gets it all the same
	}
	return &cache.Cached{At: x.gateway.now(), Answer: &keptTable{
		body: bytes.Clone(x.reply.Body), wellFormed: x.answer.wellFormed, address: x.recordAddress(), exchange: x.id, content: content,
		rate: rateOf(x.answer.typed), listed: listedIn(x.in.Request.Body, x.answer.typed), lot: lotOf(x.answer.typed),
	}}, nil
}

// name names the record of the answer for people.
func (t *keptTable) name() string { return recordName(t.address, t.exchange) }

// recordName names a record by its address, or its exchange while that is empty.
func recordName(address, exchange string) string {
	if address != "" {
		return "record " + address
	}
	return "exchange " + exchange
}

// recordAddress returns the address of the exchange's record, empty while that is owed.
func (x *exchange) recordAddress() string {
	if x.rec.durable {
		return x.address()
	}
	return ""
}

// isForAll reports whether an answer contains none of the credentials.
func (x *exchange) isForAll(body []byte) bool {
	redacted, ok := x.trail.Redactor.Body(body, x.credentials...)
	return ok && bytes.Equal(redacted, body)
}

// answerFrom answers with a cached answer.
func (x *exchange) answerFrom(kept *cache.Cached, freshness cache.Freshness) {
	table := kept.Answer.(*keptTable)
	age := max(x.gateway.now().Sub(kept.At), 0)
	x.reply = binding.Reply{Status: http.StatusOK, Body: table.body, Header: http.Header{
		"Content-Type": {"application/json"}, "Age": {strconv.FormatInt(int64(age/time.Second), 10)},
	}}
	x.answer.wellFormed, x.outcome = table.wellFormed, audit.OutcomeCached
	x.answer.origin = table.address
	x.answer.cached = fmt.Sprintf("answered as %s, %s old", table.name(), age.Truncate(time.Second))
	if freshness == cache.Stale {
		x.answer.cached += ": the service gave no answer"
	}
}

// replaced logs and counts a table that has changed.
func (x *exchange) replaced(before, after *cache.Cached) {
	was, is := before.Answer.(*keptTable), after.Answer.(*keptTable)
	if was.content == is.content {
		return
	}
	tableChanges.WithLabelValues(x.in.Operation.Name).Inc()
	x.gateway.logger.Info("the service has changed a table", zap.String("operation", x.in.Operation.Name),
		x.named(), zap.Stringer("cuit", x.in.Subject.Cuit), zap.String("before", was.name()), zap.String("after", is.name()))
}

// checkCache checks the durations of the cache and sets the defaults.
func (g *Gateway) checkCache() error {
	switch {
	case g.Cache != optionOn && g.Cache != optionOff:
		return fmt.Errorf("unknown cache %q: use on or off", g.Cache)
	case g.CacheTTL < 0 || g.CacheStale < 0:
		return errors.New("cache_ttl or cache_stale is negative: give a duration such as 5m")
	case g.CacheStale < g.CacheTTL:
		return fmt.Errorf("cache: stale %s is shorter than the %s for which an answer is fresh: give a longer one, such as stale 24h",
			time.Duration(g.CacheStale), time.Duration(g.CacheTTL))
	}
	return nil
}
