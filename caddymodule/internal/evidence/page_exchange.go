package evidence

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// pageExchange is an exchange on the page.
type pageExchange struct {
	Number int
	// Own: the gateway asked on its own account, and the section is folded.
	Own                                      bool
	Title, Lead, Test, Lot                   string
	Address, Intent, Began, Duration         string
	Operation, Outcome, Certainty            string
	Client, Identity, Node, Upstream, Detail string
	Status                                   int
	RequestLength, AnswerLength              int64
	RequestSHA256, AnswerSHA256              string
	Vouchers                                 []pageVoucher
	Findings                                 []pageFinding
	Messages                                 []audit.Message
	// MessagesOf is who gave the messages: the service, or the gateway.
	MessagesOf      string
	Request, Answer string
	// Legs are the request and the answer as the client saw them, where that is another form.
	Legs []pageLeg
	// Content explains why bodies and texts cannot be read; empty if they can.
	Content string
	Files   []pageFile
}

type pageFinding struct {
	Code, Severity, Action, Pointer, Text string
	// Path is the place in the XML of a client that speaks SOAP.
	Path string
	// Refuses: it is a reason for the refusal.
	Refuses bool
}

type pageVoucher struct{ Number, Verdict string }

type pageFile struct{ Path, Name string }

// pageOf returns the number-th exchange for the page.
func (b *evidenceBundle) pageOf(number int, s *summary, x *evidenceExchange) *pageExchange {
	r := x.record
	one := &pageExchange{
		Number: number, Own: s.isOwn(), Lead: b.words.result(s), Content: cmp.Or(spanishContent[r.Presence], spanishContent[x.requestRecord().Presence]),
		Address: r.Address(), Began: spanish.Moment(r.Time), Operation: r.Operation,
		Outcome:   cmp.Or(spanishOutcome[audit.Outcome(view.OutcomeText(r))], string(r.Outcome)),
		Certainty: cmp.Or(spanishCertainty[r.Certainty], string(r.Certainty)),
		Client:    r.ClientAddress, Identity: r.ClientIdentity, Node: r.Node, Status: r.Status, Upstream: upstreamText(r.Upstream), Detail: r.Detail,
		RequestLength: r.RequestLength, AnswerLength: r.AnswerLength,
		RequestSHA256: printable.Digest(r.RequestDigest), AnswerSHA256: printable.Digest(r.AnswerDigest),
		Findings: findingsOf(r), Request: string(x.request), Answer: string(x.answer),
	}
	one.Title = cmp.Or(spanishOperation[r.Operation], r.Operation)
	if !s.isQuestion() {
		word, _, _ := strings.Cut(one.Outcome, ":") // the lead explains it
		one.Title += ": " + word
	}
	if x.intent != nil {
		one.Intent = x.intent.Address()
	}
	if r.Kind != audit.KindIntent && r.Kind != audit.KindSettlement {
		one.Duration = spanish.Duration(r.Duration)
	}
	if b.isTest(s) {
		one.Test = b.words.testText(s)
	}
	one.Legs = legsOf(x)
	b.addVouchers(one, r)
	one.Messages, one.MessagesOf = messagesOf(r)
	for _, file := range b.filesOf[s.recordPlace] {
		one.Files = append(one.Files, pageFile{file, path.Base(file)})
	}
	return one
}

// upstreamText names the server that was asked.
func upstreamText(upstream string) string {
	if isBuiltIn(upstream) {
		return "el servicio de prueba incorporado en la pasarela (" + upstream + ")"
	}
	return upstream
}

// findingsOf words the gateway's findings.
func findingsOf(r *audit.Record) (all []pageFinding) {
	for i := range r.Findings {
		f := r.Findings[i]
		f.Text = findingText(r, &f)
		all = append(all, pageFinding{
			Code: f.Code, Severity: cmp.Or(spanishSeverity[f.Severity], f.Severity), Action: cmp.Or(spanishAction[f.Action], f.Action),
			Pointer: f.Pointer, Path: printable.PathOf(r, &f), Text: cmp.Or(spanishContent[r.Presence], view.ExplanationOf(&f)), Refuses: f.Action == "refuse",
		})
	}
	return all
}

// messagesOf returns the messages of the answer, and who gave them. The answer to what was not
// forwarded, or was not answered, is the gateway's own; it repeats findings, which are shown
// already.
func messagesOf(r *audit.Record) ([]audit.Message, string) {
	switch r.Outcome {
	case audit.OutcomeUnknown, audit.OutcomeNotSent, audit.OutcomeNotIssued:
		return audit.Messages(r.Answer), "la pasarela"
	}
	switch r.Decision {
	case audit.DecisionForward, audit.DecisionAsk, audit.DecisionReplay, audit.DecisionCache:
		return audit.Messages(r.Answer), "el servicio"
	}
	if len(r.Findings) > 0 {
		return nil, ""
	}
	return audit.Messages(r.Answer), "la pasarela"
}

// addVouchers lists the invoices of the exchange, each with what was said about it.
func (b *evidenceBundle) addVouchers(one *pageExchange, r *audit.Record) {
	for _, v := range r.Vouchers {
		if v.CbteDesde == 0 && v.CbteHasta == 0 {
			continue // a code alone
		}
		said := cmp.Or(map[string]string{wsfev1.Aprobado: "aprobado", wsfev1.Rechazado: "rechazado"}[v.Resultado], v.Resultado)
		if v.Code != "" && v.Resultado != wsfev1.Rechazado {
			said += ", " + b.words.code + " " + v.Code
			if v.Expires != "" {
				said += ", vence el " + spanish.Day(wsfev1.Date(v.Expires))
			}
		}
		if r.Outcome == audit.OutcomeUpstreamError {
			said = "" // the answer may be about something else
		}
		one.Vouchers = append(one.Vouchers, pageVoucher{spanish.Numbers(r.PtoVta, v.CbteDesde, v.CbteHasta), said})
	}
	one.Lot = lotText(r)
}

// lotText names the lot of an exchange; empty for a single invoice.
func lotText(r *audit.Record) string {
	n := len(r.Vouchers)
	if n < 2 {
		return ""
	}
	return fmt.Sprintf("un lote de %s comprobantes: %s", spanish.Grouped(strconv.Itoa(n)),
		spanish.Numbers(r.PtoVta, r.Vouchers[0].CbteDesde, r.Vouchers[n-1].CbteHasta))
}

// pageEvent is a line of the events; Asked is set for questions of the gateway, which are
// folded into one line.
type pageEvent struct {
	At, Address, Text string
	// Exchange is the number of its exchange on the page, -1 for an outage.
	Exchange int
	Asked    []pageEvent
}

// pageEvents words the events. Consecutive questions of the gateway become one line, with what
// the last of them has shown.
func (b *evidenceBundle) pageEvents(events []event) (all []pageEvent) {
	asking := false
	for _, e := range events {
		one := b.pageEvent(e)
		own, question := e.of != nil && e.of.isOwn(), e.of != nil && e.of.isOwn() && e.of.isQuestion()
		switch {
		case question && asking:
			group := &all[len(all)-1]
			group.Asked = append(group.Asked, one)
			group.Text = fmt.Sprintf("La pasarela consultó al servicio %d veces si el comprobante existía. La última vez: %s", len(group.Asked), b.words.reply(e.of))
		case own:
			all = append(all, pageEvent{At: one.At, Text: one.Text, Exchange: -1, Asked: []pageEvent{one}})
		default:
			all = append(all, one)
		}
		asking = question
	}
	return all
}

func (b *evidenceBundle) pageEvent(e event) pageEvent {
	one := pageEvent{At: spanish.Moment(e.at), Address: e.address(), Text: e.text, Exchange: -1}
	if e.of != nil {
		one.Exchange, one.Text = e.exchange, b.words.result(e.of)
		if e.intent && e.of.kind == audit.KindOutcome {
			one.Text = intentText
		}
	}
	return one
}
