package invoice

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange"
	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/caddymodule/internal/console/standing"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
	"github.com/fielato/fielato/wsfev1"
)

// fill fills the page of an invoice that the trail has.
func (p *invoicePage) fill(ctx context.Context, f *found) error {
	if f.hide != nil {
		p.voice.Hide = f.hide
	}
	best := f.best
	p.judge(f)
	p.Environment = p.voice.Environment(best.Found.Environment)
	if p.mixed = isMixed(f); p.mixed {
		p.Mixed, p.Elsewhere = p.T("mixed"), p.apart(f)
	}
	p.Test = p.testOf(best.Found.Environment)
	p.Story = p.steps(f)
	if err := p.addTry(ctx, best); err != nil {
		return err
	}
	if best.Shown == nil {
		return nil
	}
	v := &best.Found
	at := best.Shown.At
	key := best.source.Key(at.Log)
	p.Shown = p.linkTo(best, v.By)
	p.Proof = p.Base + "/proof/" + url.PathEscape(key) + "/" + strconv.FormatUint(at.Index, 10)
	p.Evidence = p.Proof + "/evidence?nro=" + strconv.FormatInt(f.wanted.Number, 10)
	p.addData(f)
	if v.IsAuthorised() {
		p.CodeName, p.Code = best.Invoice.CodeName(), p.voice.Code(v.By.Voucher.Code)
		if expires := v.By.Voucher.Expires; expires != "" {
			p.Expires = story.Clean(spanish.Day(wsfev1.Date(f.hide.Code(expires))))
		}
		p.Sheet = p.Address + "/constancia.html"
		if err := p.addQR(f); err != nil {
			return err
		}
	}
	return p.addNotes(ctx, f)
}

// addTry finds the newest request that was refused and is kept. An invoice that may have been issued must not be
// sent again.
func (p *invoicePage) addTry(ctx context.Context, best *part) error {
	if best.Found.State != story.Rejected {
		return nil
	}
	for _, s := range slices.Backward(best.Invoice.Entries) {
		if !s.Changes() || s.IsOwn() || !exchange.IsRefused(s.Outcome) {
			continue
		}
		x, err := (&read.Reader{Store: best.source.Store}).At(ctx, s.Log, s.Index)
		if err != nil {
			return fmt.Errorf("reading the newest refused request: %w", err)
		}
		if exchange.CanTry(x) {
			p.Try = p.TryAddress(best.source.Key(s.Log), s.Index)
		}
		return nil
	}
	return nil
}

// addQR adds the QR code. It states the receiver's document: where that is hidden there is none.
func (p *invoicePage) addQR(f *found) (err error) {
	if f.hide != nil {
		return nil
	}
	p.QR = f.best.QR
	if p.voice.Lang == story.English && p.QR != nil && p.QR.Missing != "" {
		var code qrcode.Drawn
		code, err = qrcode.Of(story.English, f.best.Shown.Request(), f.best.Shown.At, f.wanted.Number, standing.IsTest(&f.best.Standing))
		p.QR = &code
	}
	return err
}

// apart tells what stands at other services than the one of the state.
func (p *invoicePage) apart(f *found) (all []elsewhere) {
	for i := range f.parts {
		part := &f.parts[i]
		verdicts := part.Apart
		if part != f.best {
			verdicts = append([]story.Verdict{part.Found}, verdicts...)
		}
		for _, v := range verdicts {
			if v.Environment == f.best.Found.Environment || v.By == nil {
				continue
			}
			one := elsewhere{Text: f.hide.Text(part.Invoice.Apart(&v)), Address: p.linkTo(part, v.By)}
			if p.Lang == "en" {
				one.Text = cmp.Or(p.voice.Environment(v.Environment), p.T("unknown_service")) + ": " + p.T(v.StateWord()) + ". " + f.hide.Text(p.english(v.By))
			}
			all = append(all, one)
		}
	}
	return all
}

// isMixed reports whether the exchanges were with services of more than one environment.
func isMixed(f *found) bool {
	var one environment.Environment
	for _, part := range f.parts {
		for _, s := range part.Invoice.Entries {
			switch of := part.Invoice.EnvironmentOf(s); {
			case of == "" || of == one:
			case one != "":
				return true
			default:
				one = of
			}
		}
	}
	return false
}

// addData adds the figures of the invoice: from its request, or from the answer to a query for it.
func (p *invoicePage) addData(f *found) {
	x := f.best.Shown
	for _, body := range []struct {
		text  []byte
		shape func(*wsfev1.Operation) *wsfev1.Shape
	}{
		{x.Request().Request, func(op *wsfev1.Operation) *wsfev1.Shape { return op.Request }},
		{x.At.Answer, func(op *wsfev1.Operation) *wsfev1.Shape { return op.Answer }},
	} {
		root := p.treeOf(f, body.text, body.shape)
		if root == nil {
			continue
		}
		for _, one := range tree.Invoices(root) {
			if one.Position == f.best.Found.By.Position || len(tree.Invoices(root)) == 1 {
				one.Number, one.Class = "", p.Class // the head of the page has them
				p.Data = one
			}
		}
		if p.Data != nil {
			break
		}
	}
	switch missing := x.Missing(); {
	case p.Data != nil:
	case f.best.Data != (bodies.Data{}):
		p.Data = p.dataOf(f)
	case missing != audit.Present:
		p.DataMissing = p.T(missing.String())
		return
	default:
		p.DataMissing = p.T("data.missing")
		return
	}
	if date := bodies.Date(x.At.Answer, f.wanted.Number); p.Data.Date == "" && date != "" { // the service sets one that was not sent
		p.Data.Date = story.Clean(spanish.Day(wsfev1.Date(f.hide.Code(date))))
	}
}

// dataOf returns the figures that the answer has of the invoice, where its request is not kept.
func (p *invoicePage) dataOf(f *found) *tree.Invoice {
	data := &f.best.Data
	one := &tree.Invoice{Words: p.T}
	for shown, value := range map[*string]string{&one.Date: data.Date, &one.Receiver: data.Receiver, &one.Condition: data.Condition, &one.Total: data.Total} {
		*shown = story.Clean(f.hide.Text(value))
	}
	if one.Receiver != "" && f.hide != nil {
		one.Receiver = p.T("hidden")
	}
	return one
}

// treeOf reads a body from the place of the invoice on; nil if it cannot be read.
func (p *invoicePage) treeOf(f *found, body []byte, shape func(*wsfev1.Operation) *wsfev1.Shape) *tree.Node {
	if len(body) == 0 {
		return nil
	}
	o := tree.Options{From: max(f.best.Found.By.Position, 0), Words: p.T}
	if op := f.best.Found.By.Operation; op != nil {
		o.Shape = shape(op)
	}
	if f.hide != nil {
		masked, ok := f.hide.JSON(body)
		if !ok {
			return nil
		}
		body = masked
	}
	root, err := tree.Build(body, o)
	if err != nil {
		return nil
	}
	return root
}
