package evidence

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
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
	Voucher, Issuer, Made string
	Verdict               story.Judgement
	Facts                 []story.Fact
	// FactsMissing explains why the request's data cannot be shown; empty if they can.
	FactsMissing string
	// QR is nil for an invoice that is not authorised.
	QR     *qrcode.Drawn
	Events []story.Told
	Logs   []evidenceLog
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

// head reads the exchange that shows the verdict, and no other.
func (b *evidenceBundle) head(ctx context.Context, invoice *story.Invoice) (*pageHead, error) {
	turns := invoice.Turns()
	head := &pageHead{
		Voucher: spanish.Voucher(b.query.CbteTipo) + " " + spanish.Number(b.query.PtoVta, b.query.Number),
		Issuer:  spanish.CUIT(b.query.Cuit), Made: spanish.Moment(b.made), Logs: b.logs, Events: invoice.Tell(turns),
	}
	v := story.VerdictOf(turns)
	if v.By == nil {
		head.Verdict = invoice.Judge(&v, nil)
		return head, nil
	}
	x, err := b.read(ctx, v.By.Place)
	if err != nil {
		return nil, err
	}
	if err := read.AddIntent(ctx, b.store, &x.Exchange); err != nil {
		return nil, err
	}
	head.Verdict = invoice.Judge(&v, x.At)
	head.Facts, head.FactsMissing = invoice.Facts(&v, x.Request(), x.At)
	if v.IsAuthorised() {
		code, err := qrcode.Of(story.Printed, x.Request(), x.At, b.query.Number, invoice.IsTest(v.By))
		if err != nil {
			return nil, err
		}
		head.QR = &code
	}
	return head, nil
}
