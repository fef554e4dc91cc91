package gateway

import (
	"errors"
	"sync/atomic"

	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// tooManyInvoices is the rule about the size of a lot.
const tooManyInvoices = 10003

// officialLot is the answer to FECompTotXRequest that clients have had from the cache: the largest lot
// (rules.Lots). The zero value has none; it is safe for concurrent use.
type officialLot struct{ largest atomic.Int32 }

// Largest implements rules.Lots.
func (l *officialLot) Largest() int { return int(l.largest.Load()) }

// learnLot keeps the largest lot of a cached answer for the rules. With an error the service answers 0.
func (x *exchange) learnLot(kept *cache.Cached) {
	if kept == nil {
		return
	}
	if largest := kept.Answer.(*keptTable).lot; largest > 0 {
		x.gateway.lot.largest.Store(largest)
	}
}

// lotOf returns the largest lot that an answer tells, 0 for one that tells none.
func lotOf(typed any) int32 {
	if answer, ok := typed.(*wsfev1.FECompTotXRequestAnswer); ok {
		return answer.RegXReq
	}
	return 0
}

// invoicesToRead returns how many invoices of a lot are read, 0 for all. A lot that has more is refused,
// and must be: nothing knows what else it has. Where the rule only observes, all of it is read.
func (g *Gateway) invoicesToRead() int {
	found := validate.Finding{Code: "10003", Action: validate.ActionAt(g.rules.Level(tooManyInvoices))}
	if g.action(found) != validate.ActionRefuse {
		return 0
	}
	return g.rules.LargestLot()
}

// errUnread: a lot was not read to its end, and no rule has refused it.
var errUnread = errors.New("not all invoices of the lot were read")
