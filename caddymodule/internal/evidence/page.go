package evidence

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

//go:embed page.html
var evidencePageText string

// evidencePageTemplate escapes its values by context: bodies, names of clients and messages
// of the service may hold anything.
var evidencePageTemplate = template.Must(template.New("").Parse(evidencePageText))

// voice is how the page speaks: it is read without a console at hand.
var voice = story.Voice{Lang: story.Printed}

// pageHead is the top of the page: the invoice and the verdict on it.
type pageHead struct {
	*Sheet
	Voucher, Issuer, Made string
	// Environment is the service of the verdict, and Elsewhere words the verdicts of others.
	Environment string
	Elsewhere   []string
	Events      []story.Told
	Logs        []evidenceLog
	Witnesses   []string
	// Stamped: there are time-stamps.
	Stamped bool
}

// writePage writes the page, which needs no other file: the verdict, the events, then each
// exchange. Contents are read when their exchange is written, so that one exchange is in
// memory at a time.
func (b *evidenceBundle) writePage(ctx context.Context, w io.Writer, exchanges []*story.Entry) error {
	part := func(name string, data any) error {
		if err := evidencePageTemplate.ExecuteTemplate(w, name, data); err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
		return nil
	}
	invoice := b.invoice(exchanges)
	head, err := b.head(ctx, invoice)
	if err != nil {
		return err
	}
	if err := part("head", head); err != nil {
		return err
	}
	for i, s := range exchanges {
		x, err := b.read(ctx, s.Place)
		if err != nil {
			return err
		}
		if err := part("exchange", b.pageOf(invoice, i, x)); err != nil {
			return err
		}
	}
	return part("foot", head)
}

// invoice returns the story of the invoice.
func (b *evidenceBundle) invoice(exchanges []*story.Entry) *story.Invoice {
	i := &story.Invoice{Query: b.query, Entries: exchanges, Outages: b.outages}
	for _, log := range b.logs {
		i.BuiltInSince = append(i.BuiltInSince, log.builtInSince)
	}
	return i
}

// head returns the top of the page.
func (b *evidenceBundle) head(ctx context.Context, invoice *story.Invoice) (*pageHead, error) {
	sheet, err := sheetOf(ctx, b.store, invoice)
	if err != nil {
		return nil, err
	}
	var elsewhere []string
	for i := range sheet.Apart {
		elsewhere = append(elsewhere, invoice.Apart(&sheet.Apart[i]))
	}
	return &pageHead{
		Sheet: sheet, Voucher: spanish.Voucher(b.query.CbteTipo) + " " + spanish.Number(b.query.PtoVta, b.query.Number),
		Issuer: spanish.CUIT(b.query.Cuit), Made: spanish.Moment(b.made), Logs: b.logs, Witnesses: b.witnesses, Stamped: len(b.stamps) > 0, Events: invoice.Tell(sheet.Turns),
		Environment: voice.Environment(sheet.Found.Environment), Elsewhere: elsewhere,
	}, nil
}
