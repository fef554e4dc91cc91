package backend

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/fielato/fielato/wsfev1"
)

var (
	// ErrNotFound: the ledger has no such thing.
	ErrNotFound = errors.New("not in the ledger")
	// ErrExists: the ledger has it already.
	ErrExists = errors.New("already in the ledger")
	// ErrSequence: an invoice does not follow the last one of its series.
	ErrSequence = errors.New("not the next number of its series")
	// ErrClosed: the ledger was closed.
	ErrClosed = errors.New("the ledger is closed")
	// ErrUncertain: the storage was lost during a commit and did not come back in time to
	// be asked. Either the whole Update was committed or nothing. The caller must not report
	// that nothing was done.
	ErrUncertain = errors.New("it is not known whether the ledger has kept it")
)

// MaxNumber is the largest number of an invoice (docs/sources.md#fields).
const MaxNumber = 99_999_999

// Ledger keeps invoices, series and advance codes. Implementations are safe for concurrent
// use, by several processes too if the storage allows that. backendtest.Suite is the
// contract in executable form.
type Ledger interface {
	// View runs fn on one state of the ledger: it sees every Update that
	// returned before View was called, and none that commits while fn runs. fn
	// must not call the Ledger.
	View(ctx context.Context, fn func(Reader) error) error
	// Update runs fn as if it were alone with the ledger (serialisable). If it returns nil,
	// all that fn wrote survives a power cut. If it returns an error, its own or fn's, nothing
	// was written and no reader saw any of it. The exception is ErrUncertain, which storage
	// behind a network may return.
	//
	// fn may run more than once, from any goroutine, until it succeeds: its effects outside
	// of the ledger must not depend on how often. It must return an error of Tx that it does
	// not know unchanged, since fn may be run again because of it. It uses Tx and must not
	// call the Ledger.
	Update(ctx context.Context, fn func(Tx) error) error
	// Close waits for running calls and releases the ledger; later calls fail with ErrClosed.
	// Committed data stays.
	Close() error
}

// Reader is one state of the ledger.
type Reader interface {
	// Series returns how far a series has come, the zero SeriesState for a new one.
	Series(ctx context.Context, series Series) (SeriesState, error)
	// Invoice returns the invoice whose range holds the number (ErrNotFound).
	Invoice(ctx context.Context, series Series, number int64) (*Invoice, error)
	// CAEA returns the advance code with these digits (ErrNotFound).
	CAEA(ctx context.Context, code string) (*CAEA, error)
	// CAEAOf returns the advance code of an issuer's fortnight (ErrNotFound).
	CAEAOf(ctx context.Context, cuit wsfev1.CUIT, periodo int32, orden int16) (*CAEA, error)
	// CAEAUsed reports whether a point of sale has an invoice under the code.
	CAEAUsed(ctx context.Context, code string, ptoVta int32) (bool, error)
	// SinMovimiento lists the points of sale declared without movement under
	// the code, by PtoVta.
	SinMovimiento(ctx context.Context, code string) ([]SinMovimiento, error)
	// Referring lists the invoices of all issuers whose CbtesAsoc name the voucher
	// (References), each once, by series and number. It takes as long as the list is,
	// however large the ledger.
	Referring(ctx context.Context, voucher IssuedVoucher) ([]Referrer, error)

	// AllSeries lists the series that have invoices, by Cuit, PtoVta and CbteTipo.
	AllSeries(ctx context.Context) ([]Series, error)
	// AllInvoices yields the invoices of a series by number, AllCAEAs the advance codes by
	// their digits, AllSinMovimiento the declarations by CAEA and PtoVta. Memory does not
	// grow with their number. An error, such as ctx's, ends the iteration. The caller owns the
	// yielded values. The Reader must not be used for anything else during the iteration.
	AllInvoices(ctx context.Context, series Series) iter.Seq2[*Invoice, error]
	AllCAEAs(ctx context.Context) iter.Seq2[*CAEA, error]
	AllSinMovimiento(ctx context.Context) iter.Seq2[*SinMovimiento, error]
}

// Tx is the ledger during an Update. It reads what it wrote itself.
type Tx interface {
	Reader
	// Append adds invoices to the end of a series. Their numbers must follow the
	// last one without a gap and their dates must not go back (ErrSequence): this
	// is the last line of defence, whatever the caller checked. What their details
	// refer to (References) is found by Referring. The caller may use the memory again
	// when Append has returned.
	Append(ctx context.Context, series Series, invoices []Invoice) error
	// Serials returns n numbers, 1 or more, that no committed Update was ever
	// given or will be given. They need not be consecutive.
	Serials(ctx context.Context, n int) ([]int64, error)
	// SkipSerials gives away the numbers up to last, and last too: Serials returns
	// greater ones from then on.
	SkipSerials(ctx context.Context, last int64) error
	// AddCAEA adds an advance code; an issuer has one for each fortnight, and
	// its digits are unique (ErrExists).
	AddCAEA(ctx context.Context, caea CAEA) error
	// AddSinMovimiento declares a point of sale without movement, once for each
	// code (ErrExists).
	AddSinMovimiento(ctx context.Context, declared SinMovimiento) error
	// Reset removes everything but the serial numbers that were given, so that no code is
	// given twice.
	Reset(ctx context.Context) error
}

// Series is one numbering.
type Series struct {
	Cuit     wsfev1.CUIT
	PtoVta   int32
	CbteTipo int32
}

// SeriesState is how far a series has come.
type SeriesState struct {
	// Last is the last number, 0 if there is none.
	Last int64
	// LastFch is the date of the last invoice, empty if there is none. The
	// dates of a series never go back, so it is also the latest.
	LastFch wsfev1.Date
}

// follows reports whether an invoice may come next.
func (s SeriesState) follows(invoice *Invoice) bool {
	return invoice.CbteDesde == s.Last+1 && invoice.CbteHasta >= invoice.CbteDesde &&
		invoice.CbteHasta <= MaxNumber && invoice.CbteFch >= s.LastFch
}

// Extend returns the state after the invoices, or ErrSequence if they do not follow.
func (s SeriesState) Extend(invoices []Invoice) (SeriesState, error) {
	for i := range invoices {
		v := &invoices[i]
		if !s.follows(v) {
			return s, fmt.Errorf("%w: %d to %d of %s after %d of %s", ErrSequence, v.CbteDesde, v.CbteHasta, v.CbteFch, s.Last, s.LastFch)
		}
		s = SeriesState{Last: v.CbteHasta, LastFch: v.CbteFch}
	}
	return s, nil
}

// The values of EmisionTipo.
const (
	EmisionCAE  = "CAE"
	EmisionCAEA = "CAEA"
)

// Invoice is an approved invoice as the ledger keeps it.
type Invoice struct {
	// CbteDesde to CbteHasta are its numbers, 1 to MaxNumber.
	CbteDesde, CbteHasta int64
	CbteFch              wsfev1.Date
	// Code is its CAE, or the CAEA under which it was issued.
	Code string
	// EmisionTipo is CAE or CAEA, the kind of Code.
	EmisionTipo string
	FchVto      wsfev1.Date
	FchProceso  wsfev1.Timestamp
	// Detail is the invoice as FECompConsultar echoes it, in JSON; Observaciones
	// is empty or the JSON of its observations. Amounts are exact decimals in
	// there: a ledger keeps both byte for byte as text.
	Detail, Observaciones []byte
}

// CAEA is an advance code of an issuer's fortnight.
type CAEA struct {
	Code string
	Cuit wsfev1.CUIT
	// Periodo is yyyymm, Orden 1 or 2.
	Periodo int32
	Orden   int16
	// FchVigDesde to FchVigHasta is the fortnight; FchTopeInf is the last day
	// for reporting.
	FchVigDesde, FchVigHasta, FchTopeInf wsfev1.Date
	FchProceso                           wsfev1.Timestamp
}

// SinMovimiento declares that a point of sale issued nothing under an advance code.
type SinMovimiento struct {
	CAEA       string
	PtoVta     int32
	FchProceso wsfev1.Date
}
