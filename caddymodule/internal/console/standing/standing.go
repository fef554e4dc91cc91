package standing

import (
	"cmp"
	"context"
	"errors"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// MaxExchanges is how many exchanges about an invoice a page looks at.
const MaxExchanges = 1000

// Standing is what one source shows about an invoice.
type Standing struct {
	*evidence.Standing
	Source *site.Source
}

// Of returns what counts of all that the sources show about an invoice, nil where none has anything. The error wraps
// evidence.ErrTooMany if a source has more than MaxExchanges, and none that has authorised it.
func Of(ctx context.Context, sources []site.Source, wanted audit.Query) (best *Standing, err error) {
	wanted.Limit = MaxExchanges + 1
	for i := range sources {
		one, err := evidence.StandingOf(ctx, sources[i].Store, sources[i].Logs, wanted)
		switch {
		case errors.Is(err, evidence.ErrNone):
		case err != nil:
			return nil, err
		case best == nil || Compare(one, best.Standing) < 0:
			best = &Standing{one, &sources[i]}
		}
	}
	return best, nil
}

// strength orders the states: what one source shows about an invoice counts more than another source's weaker state.
var strength = map[story.State]int{story.Absent: 1, story.Rejected: 2, story.Unknown: 3, story.Existing: 4, story.Approved: 5}

// Compare orders what sources show: what counts more comes first. No approval for a test may hide what became of the
// number in production.
func Compare(a, b *evidence.Standing) int {
	return cmp.Or(environment.Compare(a.Found.Environment, b.Found.Environment), cmp.Compare(strength[b.Found.State], strength[a.Found.State]))
}

// IsTest reports whether the built-in service has issued the invoice, or would have.
func IsTest(s *evidence.Standing) bool { return s.Found.By != nil && s.Invoice.IsTest(s.Found.By) }
