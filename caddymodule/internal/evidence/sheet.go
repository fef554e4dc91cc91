package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
)

// Standing is what all exchanges about an invoice show, without any content.
type Standing struct {
	Invoice *story.Invoice
	// Turns are what became known, in that order.
	Turns []story.Turn
	// Found is the verdict of the service that counts most. Apart are the verdicts of other services.
	Found story.Verdict
	Apart []story.Verdict
	// Partial: there are too many exchanges, and these are only those that have authorised the invoice.
	Partial bool
}

// Sheet is what all exchanges about an invoice show, in the words of a printed document. The page of a bundle
// and the console's page of the invoice lay it out.
type Sheet struct {
	Standing
	// Verdict words what was found.
	Verdict story.Judgement
	// Shown is the exchange that shows the verdict, with its intent; nil where none does.
	Shown *story.Exchange
	// Data are the invoice's own, and Facts has a line for each of them, the lot and the code.
	Data  bodies.Data
	Facts []bodies.Fact
	// FactsMissing explains why the request's data cannot be shown; empty if they can.
	FactsMissing string
	// QR is nil for an invoice that is not authorised.
	QR *qrcode.Drawn
}

// ErrNone: there is no exchange about the invoice.
var ErrNone = errors.New("there is no exchange about the invoice")

// SheetOf reads all exchanges about an invoice. The error is ErrNone if there is none, and wraps ErrTooMany if
// there are as many as the query's Limit.
func SheetOf(ctx context.Context, store audit.Store, names []string, wanted audit.Query) (*Sheet, error) {
	about, err := gather(ctx, store, names, wanted)
	if err != nil {
		return nil, err
	}
	invoice, err := about.invoice(ctx, store, wanted)
	if err != nil {
		return nil, err
	}
	for _, s := range invoice.Entries {
		if err := addIntended(ctx, store, s); err != nil {
			return nil, err
		}
	}
	return sheetOf(ctx, store, invoice)
}

// StandingOf is SheetOf for a list of many invoices: it reads summaries alone, and no outages. It returns
// the errors of SheetOf, but ErrTooMany only for an invoice that nothing has authorised.
func StandingOf(ctx context.Context, store audit.Store, names []string, wanted audit.Query) (*Standing, error) {
	wanted.SummaryOnly = true
	exchanges, err := someAbout(ctx, store, names, wanted)
	partial := errors.Is(err, ErrTooMany)
	if partial {
		exchanges, err = authorisingOf(ctx, store, names, wanted)
	}
	if err != nil {
		return nil, err
	}
	about := new(gathered)
	if about.exchanges, about.logs, err = addSettled(ctx, store, names, exchanges, wanted.Number); err != nil {
		return nil, err
	}
	invoice, err := about.invoice(ctx, store, wanted)
	if err != nil {
		return nil, err
	}
	standing := standingOf(invoice)
	standing.Partial = partial
	return standing, nil
}

// maxAuthorising bounds how many records of each outcome are read for one that has authorised the invoice.
const maxAuthorising = 50

// authorisingOf returns the exchanges that have authorised an invoice, among too many others. The error wraps ErrTooMany
// if there are none.
func authorisingOf(ctx context.Context, store audit.Store, names []string, wanted audit.Query) (all []*story.Entry, err error) {
	most := wanted.Limit - 1
	wanted.Limit = maxAuthorising
	for _, wanted.Outcome = range story.Authorising {
		some, err := exchangesAbout(ctx, store, names, wanted)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(some, func(e *story.Entry) bool { return !e.IsAuthorised() })...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: more than %d", ErrTooMany, most)
	}
	story.SortEntries(all)
	return all, nil
}

// standingOf judges an invoice.
func standingOf(invoice *story.Invoice) *Standing {
	turns := invoice.Turns()
	all := invoice.Verdicts(turns)
	return &Standing{Invoice: invoice, Turns: turns, Found: all[0], Apart: all[1:]}
}

// gathered is what a store has about an invoice. logs are those that were searched, and those in which
// something was found out.
type gathered struct {
	exchanges []*story.Entry
	outages   []*story.Outage
	logs      []string
}

// gather finds all exchanges about an invoice. It returns the errors of SheetOf.
func gather(ctx context.Context, store audit.Store, names []string, wanted audit.Query) (*gathered, error) {
	exchanges, err := someAbout(ctx, store, names, wanted)
	if err != nil {
		return nil, err
	}
	about := new(gathered)
	if about.outages, err = outagesDuring(ctx, store, names, exchanges); err != nil {
		return nil, err
	}
	about.exchanges, about.logs, err = addSettled(ctx, store, names, exchanges, wanted.Number)
	return about, err
}

// someAbout returns the exchanges about an invoice that these logs have. It returns the errors of SheetOf.
func someAbout(ctx context.Context, store audit.Store, names []string, wanted audit.Query) ([]*story.Entry, error) {
	exchanges, err := exchangesAbout(ctx, store, names, wanted)
	switch {
	case err != nil:
		return nil, err
	case len(exchanges) == 0:
		return nil, ErrNone
	case len(exchanges) == wanted.Limit:
		return nil, fmt.Errorf("%w: more than %d", ErrTooMany, wanted.Limit-1)
	}
	return exchanges, nil
}

// invoice returns the story of the invoice.
func (g *gathered) invoice(ctx context.Context, store audit.Store, wanted audit.Query) (*story.Invoice, error) {
	invoice := &story.Invoice{Query: wanted, Entries: g.exchanges, Outages: g.outages}
	for _, name := range g.logs {
		since, err := builtInSince(ctx, store, name)
		if err != nil {
			return nil, err
		}
		invoice.BuiltInSince = append(invoice.BuiltInSince, since)
	}
	return invoice, nil
}

// addIntended adds when the intent of an outcome was made. One in a log that is not here has no other time
// than its outcome.
func addIntended(ctx context.Context, store audit.Store, s *story.Entry) error {
	if s.Kind != audit.KindOutcome {
		return nil
	}
	intent, err := store.Get(ctx, s.Intent.Log, s.Intent.Index)
	switch {
	case err == nil:
		s.Intended = intent.Time
	case errors.Is(err, damage.ErrMissed):
	case s.Intent.Log == s.Log || !errors.Is(err, audit.ErrNotFound):
		return fmt.Errorf("reading the intent %s: %w", s.Intent.Address(), err)
	}
	return nil
}

// sheetOf judges the invoice. It reads the exchange that shows the verdict, and no other.
func sheetOf(ctx context.Context, store audit.Store, invoice *story.Invoice) (*Sheet, error) {
	sheet := &Sheet{Standing: *standingOf(invoice)}
	v := &sheet.Found
	if v.By == nil {
		sheet.Verdict = invoice.Judge(v, nil)
		return sheet, nil
	}
	x, err := (&read.Reader{Store: store}).At(ctx, v.By.Log, v.By.Index)
	if err != nil {
		return nil, err
	}
	sheet.Shown, sheet.Verdict = x, invoice.Judge(v, x.At)
	sheet.Data = bodies.DataOf(x.Request().Request, x.At.Answer, invoice.Query.Number)
	sheet.Facts, sheet.FactsMissing = invoice.Facts(v, sheet.Data, x.Request())
	if v.IsAuthorised() {
		code, err := qrcode.Of(story.Printed, x.Request(), x.At, invoice.Query.Number, invoice.IsTest(v.By))
		if err != nil {
			return nil, err
		}
		sheet.QR = &code
	}
	return sheet, nil
}
