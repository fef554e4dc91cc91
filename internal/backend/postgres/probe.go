package postgres

import (
	"context"
	"errors"
	"iter"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/wsfev1"
)

// errOtherwise ends a function that asks for something unavailable where it runs. The
// function runs again elsewhere, whatever it does with this error.
var errOtherwise = errors.New("the update is run in another way")

// outside is a backend.Tx that refuses every call. asked is set by the first one.
type outside struct{ asked bool }

func (o *outside) refuse() error {
	o.asked = true
	return errOtherwise
}

func refusal[T any](o *outside) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) { yield(nil, o.refuse()) }
}

func (o *outside) Series(context.Context, backend.Series) (backend.SeriesState, error) {
	return backend.SeriesState{}, o.refuse()
}

func (o *outside) Invoice(context.Context, backend.Series, int64) (*backend.Invoice, error) {
	return nil, o.refuse()
}
func (o *outside) CAEA(context.Context, string) (*backend.CAEA, error) { return nil, o.refuse() }
func (o *outside) CAEAOf(context.Context, wsfev1.CUIT, int32, int16) (*backend.CAEA, error) {
	return nil, o.refuse()
}

func (o *outside) CAEAUsed(context.Context, string, int32) (bool, error) { return false, o.refuse() }

func (o *outside) SinMovimiento(context.Context, string) ([]backend.SinMovimiento, error) {
	return nil, o.refuse()
}

func (o *outside) Referring(context.Context, backend.IssuedVoucher) ([]backend.Referrer, error) {
	return nil, o.refuse()
}
func (o *outside) AllSeries(context.Context) ([]backend.Series, error) { return nil, o.refuse() }
func (o *outside) AllInvoices(context.Context, backend.Series) iter.Seq2[*backend.Invoice, error] {
	return refusal[backend.Invoice](o)
}

func (o *outside) AllCAEAs(context.Context) iter.Seq2[*backend.CAEA, error] {
	return refusal[backend.CAEA](o)
}

func (o *outside) AllSinMovimiento(context.Context) iter.Seq2[*backend.SinMovimiento, error] {
	return refusal[backend.SinMovimiento](o)
}

func (o *outside) Append(context.Context, backend.Series, []backend.Invoice) error {
	return o.refuse()
}

func (o *outside) Serials(context.Context, int) ([]int64, error) { return nil, o.refuse() }

func (o *outside) SkipSerials(context.Context, int64) error { return o.refuse() }

func (o *outside) AddCAEA(context.Context, backend.CAEA) error { return o.refuse() }

func (o *outside) AddSinMovimiento(context.Context, backend.SinMovimiento) error { return o.refuse() }

func (o *outside) Reset(context.Context) error { return o.refuse() }

// probe learns which series a function asks for first, so that the Update can wait for its
// turn without a connection and without blocking others.
type probe struct {
	outside
	series backend.Series
	// keyed is set if series is known.
	keyed bool
}

func (p *probe) Series(_ context.Context, series backend.Series) (backend.SeriesState, error) {
	p.learn(series)
	return backend.SeriesState{}, p.refuse()
}

func (p *probe) Append(_ context.Context, series backend.Series, _ []backend.Invoice) error {
	p.learn(series)
	return p.refuse()
}

func (p *probe) learn(series backend.Series) {
	if !p.asked {
		p.series, p.keyed = series, true
	}
}

// call runs a function and turns a panic into an error. On a writer's goroutine it would
// end the program instead of one request.
func call(fn func(backend.Tx) error, tx backend.Tx) error {
	return panics.Do("an update of the ledger", func() error { return fn(tx) })
}
