package evidence

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed page.html
var evidencePageText string

// evidencePageTemplate escapes its values by context: bodies, names of clients and messages
// of the service may hold anything.
var evidencePageTemplate = template.Must(template.New("").Parse(evidencePageText))

// pageHead is the top of the page: the invoice and the verdict on it.
type pageHead struct {
	Voucher, Issuer, Made string
	Verdict               pageVerdict
	Facts                 []fact
	// FactsMissing explains why the request's data cannot be shown; empty if they can.
	FactsMissing string
	// QR is nil for an invoice that is not authorised.
	QR     *story.QRCode
	Events []pageEvent
	Logs   []evidenceLog
}

// writePage writes the page, which needs no other file: the verdict, the events, then each
// exchange. Contents are read when their exchange is written, so that one exchange is in
// memory at a time.
func (b *evidenceBundle) writePage(ctx context.Context, w io.Writer, exchanges []*summary) error {
	part := func(name string, data any) error {
		if err := evidencePageTemplate.ExecuteTemplate(w, name, data); err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
		return nil
	}
	head, err := b.head(ctx, exchanges)
	if err != nil {
		return err
	}
	if err := part("head", head); err != nil {
		return err
	}
	for i, s := range exchanges {
		x, err := b.read(ctx, s.recordPlace)
		if err != nil {
			return err
		}
		if err := part("exchange", b.pageOf(i, s, x)); err != nil {
			return err
		}
	}
	return part("foot", head)
}

// teller returns the words for the bundle's events. An invoice that was informed has a CAEA.
func (b *evidenceBundle) teller(exchanges []*summary) *teller {
	t := &teller{code: "CAE", isTest: b.isTest}
	for _, s := range exchanges {
		if s.operation != nil && s.operation.Name == "FECAEARegInformativo" {
			t.code = "CAEA"
		}
	}
	return t
}

// isTest reports whether the built-in service has answered.
func (b *evidenceBundle) isTest(s *summary) bool {
	if s.voucher.Code == "" {
		return isBuiltIn(s.upstream)
	}
	var since []time.Time
	for _, log := range b.logs {
		since = append(since, log.builtInSince)
	}
	return story.IsTestCode(s.upstream, s.known(), since...)
}

// isBuiltIn reports whether a record's Upstream is the built-in service.
func isBuiltIn(upstream string) bool { return upstream == trail.BuiltInUpstream }

// head reads the exchange that shows the verdict, and no other.
func (b *evidenceBundle) head(ctx context.Context, exchanges []*summary) (*pageHead, error) {
	b.words = b.teller(exchanges)
	events := eventsOf(exchanges, b.outages)
	head := &pageHead{
		Voucher: spanish.Voucher(b.query.CbteTipo) + " " + spanish.Number(b.query.PtoVta, b.query.Number),
		Issuer:  spanish.CUIT(b.query.Cuit), Made: spanish.Moment(b.made), Logs: b.logs, Events: b.pageEvents(events),
	}
	v := verdictOf(events)
	if v.by == nil {
		head.Verdict = pageVerdict{Class: string(open), Title: "Sin pedidos ni consultas de clientes", Sentence: "Solo hay consultas propias de la pasarela."}
		return head, nil
	}
	x, err := b.read(ctx, v.by.recordPlace)
	if err != nil {
		return nil, err
	}
	request := x.requestRecord()
	if v.by.kind == audit.KindSettlement {
		if request, err = IntentOf(ctx, b.store, x.record); err != nil {
			return nil, err
		}
	}
	head.Verdict = b.verdict(&v, x)
	b.addFacts(head, &v, request, x.record)
	if v.state == approved || v.state == existing {
		code, err := story.Printed.QROf(request, x.record, b.query.Number, b.isTest(v.by))
		if err != nil {
			return nil, err
		}
		head.QR = &code
	}
	return head, nil
}

// addFacts adds the invoice's own data, and the code that authorises it.
func (b *evidenceBundle) addFacts(head *pageHead, v *verdict, request, answer *audit.Record) {
	s := v.by
	if s.voucher.CbteDesde != s.voucher.CbteHasta {
		head.Facts = append(head.Facts, fact{"Rango de números", spanish.Numbers(b.query.PtoVta, s.voucher.CbteDesde, s.voucher.CbteHasta)})
	}
	if lot := lotText(request); lot != "" {
		head.Facts = append(head.Facts, fact{"Enviado en", lot})
	}
	if facts := factsOf(invoiceOf(request.Request, b.query.Number), invoiceOf(answer.Answer, b.query.Number)); len(facts) > 0 {
		head.Facts = append(head.Facts, facts...)
	} else {
		head.FactsMissing = cmp.Or(spanishMissing[request.Presence], "no están en lo que se conserva del pedido")
	}
	if v.state == approved || v.state == existing {
		value := s.voucher.Code
		if b.isTest(s) {
			value += " (" + b.words.testNote() + ")"
		}
		head.Facts = append(head.Facts, fact{b.words.code, value})
		if s.voucher.Expires != "" {
			head.Facts = append(head.Facts, fact{"Vencimiento del " + b.words.code, spanish.Day(wsfev1.Date(s.voucher.Expires))})
		}
	}
}
