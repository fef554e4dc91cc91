package gateway

import (
	"sync/atomic"

	"github.com/fielato/fielato/internal/cache"
	"github.com/fielato/fielato/wsfev1"
)

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
