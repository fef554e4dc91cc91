package gateway

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// recallRecords is how many records recall reads at most.
const recallRecords = 1000

// recall searches the trail for the newest answer to the same query, as the cache is empty
// after a start. An answer about the issuer must belong to the same credentials, or
// be for a client that may use the keeper's ticket.
func (x *exchange) recall(credentials [16]byte) (*cache.Cached, error) {
	ctx, cancel := x.detachedFor(trail.AppendTimeout)
	defer cancel()
	query := audit.Query{Log: x.trail.Log, Operation: x.in.Operation.Name, Outcome: audit.OutcomeAnswered, Limit: recallRecords}
	aboutIssuer := slices.Contains(issuerOperations, x.in.Operation.Name)
	if aboutIssuer {
		query.Cuit = x.in.Subject.Cuit
	}
	for r, err := range x.trail.Store.Search(ctx, query) {
		if err != nil {
			x.alarm("the trail cannot be asked for an earlier answer", err)
			return nil, fmt.Errorf("looking for an earlier answer: %w", err)
		}
		if r.Fingerprint != x.marks.fingerprint {
			continue
		}
		same := x.in.KeptTicket || x.sameCredentials(r)
		if aboutIssuer && !same {
			continue
		}
		table := x.tableOf(r)
		if table == nil {
			continue
		}
		if same && !x.in.KeptTicket {
			x.trail.CredentialCache.Add(credentials) // the service accepted them then
		}
		return &cache.Cached{Answer: table, At: r.Time.Add(r.Duration)}, nil
	}
	return nil, nil
}

// tableOf returns the answer of a record, nil if its original bytes are not available or it
// must not be cached.
func (x *exchange) tableOf(r *audit.Record) *keptTable {
	digest := sha256.Sum256(r.Answer)
	if len(r.Answer) == 0 || len(r.Answer) > maxKeptTable || digest != r.AnswerDigest && x.mask.Digest(digest) != r.AnswerDigest {
		return nil
	}
	if x.isRateOfTheDay() && wsfev1.DateOf(r.Time) != wsfev1.DateOf(x.judged) {
		return nil
	}
	typed := x.in.Operation.NewAnswer()
	deviations := validate.DecodeAnswer(x.in.Operation.Answer, r.Answer, typed)
	if !validate.IsReadable(deviations) || wsfev1.VerdictOf(typed).Failed {
		return nil
	}
	content, err := contentOf(typed)
	if err != nil {
		x.gateway.logger.Error("reading an earlier answer", x.named(), zap.Uint64("record", r.Index), zap.Error(err))
		return nil
	}
	return &keptTable{
		body: r.Answer, wellFormed: len(deviations) == 0, content: content, rate: rateOf(typed), listed: listedIn(x.in.Request.Body, typed), lot: lotOf(typed),
		address: r.Address(),
	}
}

// announcer is an answer that may have notices (Events).
type announcer interface {
	Announced() *wsfev1.Events
	Announce(*wsfev1.Events)
}

// contentOf returns the digest of an answer without its notices, in one spelling.
func contentOf(typed any) (digest [sha256.Size]byte, err error) {
	if envelope, ok := typed.(announcer); ok {
		defer envelope.Announce(envelope.Announced())
		envelope.Announce(nil)
	}
	content, err := json.Marshal(typed)
	if err != nil {
		return digest, fmt.Errorf("writing the table of an answer: %w", err)
	}
	return sha256.Sum256(content), nil
}
