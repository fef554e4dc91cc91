package evidence

import (
	"cmp"
	"path"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// pageExchange is an exchange on the page.
type pageExchange struct {
	*audit.Record
	Number int
	// Own: the gateway asked on its own account, and the section is folded.
	Own                            bool
	Title, Lead, Test, Lot, Intent string
	Began, Took                    string
	Outcome, Certainty, Server     string
	RequestSHA256, AnswerSHA256    string
	Vouchers                       []pageVoucher
	Findings                       []story.Finding
	Messages                       []audit.Message
	// Said says who gave the messages: the service, or the gateway.
	Said            string
	Request, Answer string
	// Legs are the request and the answer as the client and the service saw them, where that is another form.
	Legs []pageLeg
	// Content explains why bodies and texts cannot be read; empty if they can.
	Content string
	// Stamp is the time-stamp of the record, nil for none.
	Stamp *pageStamp
	Files []pageFile
}

// pageStamp is what a time-stamp says.
type pageStamp struct{ At, Authority string }

type pageVoucher struct{ Number, Verdict string }

type pageFile struct{ Path, Name string }

// pageLeg is a request or an answer of the client or of the service, beside the exchange's own.
type pageLeg struct {
	story.Document
	// Title is what it is. Text is the document, indented; empty if it is not kept.
	Title, SHA256, Text string
}

// pageOf returns the number-th exchange for the page.
func (b *evidenceBundle) pageOf(invoice *story.Invoice, number int, x *evidenceExchange) *pageExchange {
	r, s := x.At, invoice.Entries[number]
	one := &pageExchange{
		Record: r, Number: number, Own: s.IsOwn(), Lead: invoice.Result(s), Test: invoice.TestText(s), Lot: voice.Lot(r),
		Content: cmp.Or(voice.T(r.Presence.String()), voice.T(x.Request().Presence.String())),
		Began:   spanish.Moment(r.Time), Outcome: voice.Outcome(r), Server: voice.Upstream(r),
		Certainty:     cmp.Or(voice.T("certainty."+string(r.Certainty)), string(r.Certainty)),
		RequestSHA256: printable.Digest(r.RequestDigest), AnswerSHA256: printable.Digest(r.AnswerDigest),
		Findings: voice.Findings(r), Request: string(x.request), Answer: string(x.answer), Legs: legsOf(x), Vouchers: vouchersOf(invoice, r),
	}
	one.Title = cmp.Or(voice.T("operation."+r.Operation), r.Operation)
	if !s.IsQuestion() {
		word, _, _ := strings.Cut(one.Outcome, ":") // the lead explains it
		one.Title += ": " + word
	}
	if x.Intent != nil {
		one.Intent = x.Intent.Address()
	}
	if r.Kind != audit.KindIntent && r.Kind != audit.KindSettlement {
		one.Took = spanish.Duration(r.Duration)
	}
	one.Messages, one.Said = voice.Said(r)
	if stamp, ok := b.stamps[s.Place]; ok {
		one.Stamp = &stamp
	}
	for _, name := range b.filesOf[s.Place] {
		one.Files = append(one.Files, pageFile{name, path.Base(name)})
	}
	return one
}

// legsOf returns the bodies of each leg, none where it is the exchange itself.
func legsOf(x *evidenceExchange) (legs []pageLeg) {
	for _, part := range []string{story.PartClientRequest, story.PartClientAnswer, story.PartServiceRequest, story.PartServiceAnswer} {
		d := x.Document(part)
		if d == nil {
			continue
		}
		leg := pageLeg{Document: *d, Title: voice.T("part." + part), SHA256: printable.Digest(d.Digest)}
		switch part {
		case story.PartClientRequest:
			leg.Text = printable.XML(d.Kept, d.Charset, x.Request())
		case story.PartServiceRequest:
			leg.Text = printable.ServiceRequest(d.Leg, x.Request())
		default:
			leg.Text = printable.XML(d.Kept, "", x.At)
		}
		legs = append(legs, leg)
	}
	return legs
}

// vouchersOf lists the vouchers of an exchange, each with what was said about it.
func vouchersOf(invoice *story.Invoice, r *audit.Record) (all []pageVoucher) {
	for _, v := range r.Vouchers {
		if v.CbteDesde == 0 && v.CbteHasta == 0 {
			continue // a code alone
		}
		said := cmp.Or(voice.T("verdict."+v.Resultado), v.Resultado)
		if v.Code != "" && v.Resultado != wsfev1.Rechazado {
			said += ", " + invoice.CodeName() + " " + v.Code
			if v.Expires != "" {
				said += ", vence el " + spanish.Day(wsfev1.Date(v.Expires))
			}
		}
		if r.Outcome == audit.OutcomeUpstreamError {
			said = "" // the answer may be about something else
		}
		all = append(all, pageVoucher{spanish.Numbers(r.PtoVta, v.CbteDesde, v.CbteHasta), said})
	}
	return all
}
