package exchange

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/learned"
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
func (l *lookup) recall(within func(time.Duration) (context.Context, context.CancelFunc)) (*cache.Cached, error) {
	ctx, cancel := within(trail.AppendTimeout)
	defer cancel()
	f, t := l.facts, l.caller.trail
	query := audit.Query{Log: f.Log, Operation: f.Decision.Operation.Name, Outcome: audit.OutcomeAnswered, Limit: recallRecords}
	if l.isAboutIssuer() {
		query.Cuit = f.Decision.Subject.Cuit
	}
	for r, err := range t.Store.Search(ctx, query) {
		if err != nil {
			l.alarm("the trail cannot be asked for an earlier answer", err)
			return nil, fmt.Errorf("looking for an earlier answer: %w", err)
		}
		if r.Fingerprint != f.Marks.Fingerprint || f.Service.Apart(r.Environment) {
			continue
		}
		same := f.Decision.KeptTicket || l.caller.hasSent(context.WithoutCancel(ctx), f, r)
		if l.isAboutIssuer() && !same {
			continue
		}
		answer := l.answerOf(r)
		if answer == nil {
			continue
		}
		if same && !f.Decision.KeptTicket {
			t.CredentialCache.Add(l.credentials) // the service accepted them then
		}
		return &cache.Cached{Answer: answer, At: r.Time.Add(r.Duration)}, nil
	}
	return nil, nil
}

// answerOf returns the answer of a record, nil if its original bytes are not available or it
// must not be cached.
func (l *lookup) answerOf(r *audit.Record) *cachedAnswer {
	f := l.facts
	digest := sha256.Sum256(r.Answer)
	if len(r.Answer) == 0 || len(r.Answer) > maxCached || digest != r.AnswerDigest && f.Mask.Digest(digest) != r.AnswerDigest {
		return nil
	}
	if l.isRateOfTheDay() && wsfev1.DateOf(r.Time) != wsfev1.DateOf(f.Effective) {
		return nil
	}
	typed := f.Decision.Operation.NewAnswer()
	deviations := validate.DecodeAnswer(f.Decision.Operation.Answer, r.Answer, typed)
	if !validate.IsReadable(deviations) || wsfev1.VerdictOf(typed).Failed {
		return nil
	}
	content, err := contentOf(typed)
	if err != nil {
		l.logger.Error("reading an earlier answer", f.Field(), zap.Uint64("record", r.Index), zap.Error(err))
		return nil
	}
	return &cachedAnswer{
		body: r.Answer, wellFormed: len(deviations) == 0, content: content, address: r.Address(),
		taught: learned.LessonOf(f.Decision.Request.Body, typed),
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
