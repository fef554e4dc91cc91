package once

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once/compare"
	"github.com/fielato/fielato/wsfev1"
)

// Verdict is the result of the questions.
type Verdict string

const (
	// Undecided: the answers do not show it, or the service may still be working.
	Undecided Verdict = "undecided"
	// Recovered: it was done, the whole or the beginning of the lot.
	Recovered Verdict = "recovered"
	// NotIssued: nothing of it was done, and will not be: it may be sent again.
	NotIssued Verdict = "not_issued"
	// Different: the number belongs to an invoice with another content.
	Different Verdict = "different"
)

// Settlement is the outcome of a request that was unknown before.
type Settlement struct {
	Verdict Verdict
	// Invoices are the service's invoices of the lot, in its order: nil from the first one that it
	// does not have.
	Invoices []*wsfev1.FECompConsResult
	// Advance and SinMovimiento are what it has of the requests without a lot.
	Advance       *wsfev1.CAEAResult
	SinMovimiento *wsfev1.FECAEASinMov
	// Differing is the position of the invoice that differs, with Differences.
	Differing   int
	Differences []compare.Difference
	// Environment is the kind of the service that answered last, empty if it is not known.
	Environment audit.Environment
	// Questions counts the questions asked. Err is why it is Undecided.
	Questions int
	Err       error
}

// Pauses between two rounds of questions.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// settle asks until it is decided or the time is over, at least once. Within no time it asks
// exactly once; the service then has as long to answer as the policy gives, and no less than
// the default.
func (c *Coordinator) settle(ctx context.Context, p *Pending, service Service, policy *Policy, within time.Duration) *Settlement {
	now := c.settings.Now
	grace := cmp.Or(p.GracePeriod, policy.gracePeriod())
	if p.OtherWriter && p.NoOutcome {
		grace += policy.atWork()
	}
	deadline := now().Add(within)
	// A service that does not answer a question must not take longer than there is time.
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(within, max(DefaultRecoverWithin, policy.recoverWithin())))
	defer cancel()
	s := &Settlement{Verdict: Undecided, Invoices: make([]*wsfev1.FECompConsResult, len(p.Numbers)), Environment: p.foundIn}
	copy(s.Invoices, p.found)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		asked, known := now(), len(p.found)
		complete, err := s.askSafely(ctx, p, service)
		s.Err = err
		if len(p.found) > known {
			p.Since = now() // it may have worked on the lot until now, and may continue
		}
		if err == nil && (complete || !asked.Before(p.Since.Add(grace))) {
			s.decide()
			return s
		}
		next := pause + time.Duration(c.settings.Jitter()*float64(pause))
		if remains := p.Since.Add(grace).Sub(now()); err == nil && remains < next {
			next = max(remains, 0) // the round that decides
		}
		if isFinal(err) || now().Add(next).After(deadline) || c.settings.Wait(ctx, next) != nil {
			if s.Err == nil {
				s.Err = errStillAbsent
			}
			return s
		}
	}
}

// isFinal reports whether asking again at once would bring the same error.
func isFinal(err error) bool {
	return errors.Is(err, ErrCredentials) || errors.Is(err, ErrNoQuestion) || errors.Is(err, ErrAnotherProgram) || errors.Is(err, errDown)
}

// errStillAbsent: the service does not have it, or not yet.
var errStillAbsent = errors.New("the service does not know it so far, but may still be at work on it")

// decide names the result of the last round.
func (s *Settlement) decide() {
	s.Err = nil
	switch {
	case len(s.Differences) > 0:
		s.Verdict = Different
	case s.Advance != nil, s.SinMovimiento != nil, len(s.Invoices) > 0 && s.Invoices[0] != nil:
		s.Verdict = Recovered
	default:
		s.Verdict = NotIssued
	}
}

// last returns the highest number that the settlement shows to be approved.
func (s *Settlement) last(p *Pending) (last int64) {
	for i, invoice := range s.Invoices {
		if invoice != nil {
			last = max(last, p.Numbers[i].CbteHasta)
		}
	}
	return last
}

// Pointer returns the JSON Pointer of a difference in the request.
func (p *Pending) Pointer(s *Settlement, d compare.Difference) string {
	return wsfev1.LotOf(p.Operation.NewRequest()).InvoicePointer(s.Differing) + "/" + d.Field
}
