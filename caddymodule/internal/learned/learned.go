package learned

import (
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/wsfev1"
)

// Figures are what clients have been told by the service, from the cache: exchange rates, tables, and the
// largest lot. The rules hold requests against it (rules.Rates, rules.Tables, rules.Lots). The zero value has
// nothing; it is safe for concurrent use.
type Figures struct {
	Rates  Rates
	Tables Tables
	Lot    Lot
}

// Lesson is what can be learned from one answer; its zero value is nothing.
type Lesson struct {
	rate   *wsfev1.Cotizacion
	listed *listedCodes
	lot    int32
}

// LessonOf returns what can be learned from the answer to a request.
func LessonOf(request, typed any) Lesson {
	l := Lesson{listed: listedIn(request, typed)}
	switch answer := typed.(type) {
	case *wsfev1.FEParamGetCotizacionAnswer:
		l.rate = answer.ResultGet
	case *wsfev1.FECompTotXRequestAnswer:
		l.lot = answer.RegXReq // 0 with an error
	}
	return l
}

// Asked is the request to which the service has given an answer.
type Asked struct {
	Operation string
	// Request is the typed request, At the time that it was judged at.
	Request any
	At      time.Time
}

// Learn keeps a lesson from an answer that a client gets, and logs where a table differs from the built-in
// one. name is the log field that names the exchange.
func (l *Figures) Learn(a Asked, taught Lesson, logger *zap.Logger, name zap.Field) {
	if asked, ok := a.Request.(*wsfev1.FEParamGetCotizacionRequest); ok && taught.rate != nil {
		l.Rates.learn(asked, wsfev1.DateOf(a.At), taught.rate)
	}
	if taught.lot > 0 {
		l.Lot.largest.Store(taught.lot)
	}
	if taught.listed != nil {
		l.Tables.learnFrom(a.Operation, taught.listed, logger, name)
	}
}

// Lot is the largest lot that the service has told (rules.Lots).
type Lot struct{ largest atomic.Int32 }

// Largest implements rules.Lots.
func (l *Lot) Largest() int { return int(l.largest.Load()) }
