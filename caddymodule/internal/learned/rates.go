package learned

import (
	"sync"

	"github.com/fielato/fielato/wsfev1"
)

// maxRates bounds the rates that a gateway keeps: some currencies on the days of some months.
const maxRates = 4096

// Rates are the answers to FEParamGetCotizacion that clients have had from the cache, by
// currency and business day. Rules compare invoices with them (rules.Rates). The zero value is
// empty; it is safe for concurrent use.
type Rates struct {
	mu    sync.RWMutex
	known map[rateKey]wsfev1.Amount // guarded by mu
}

type rateKey struct {
	monID string
	day   wsfev1.Date
}

// Official implements rules.Rates.
func (r *Rates) Official(monID string, day wsfev1.Date) wsfev1.Amount {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.known[rateKey{monID, day}]
}

// learn keeps the answer to a question that was asked on the day today. The rate of the day is the
// rate of the business day before, also where the service goes further back, for a holiday. A rate of
// today may still change.
func (r *Rates) learn(asked *wsfev1.FEParamGetCotizacionRequest, today wsfev1.Date, answer *wsfev1.Cotizacion) {
	if answer.MonId != asked.MonId || !answer.MonCotiz.Exact() || answer.MonCotiz.Sign() <= 0 || !answer.FchCotiz.Valid() {
		return
	}
	days := []wsfev1.Date{answer.FchCotiz, asked.FchCotiz}
	if asked.FchCotiz == "" && answer.FchCotiz < today {
		days[1] = today.AddDays(-1).BusinessDay()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, day := range days {
		if day >= today || !day.Valid() {
			continue
		}
		if r.known == nil || len(r.known) >= maxRates {
			r.known = map[rateKey]wsfev1.Amount{}
		}
		r.known[rateKey{asked.MonId, day}] = answer.MonCotiz
	}
}
