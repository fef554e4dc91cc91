package view

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
)

// Full writes the intent first, and the bodies at the end.
func (p *tablePrinter) Full(s Entry) error {
	halves := s.Records()
	for i, half := range halves {
		if i > 0 {
			fmt.Fprintln(p.w)
		}
		p.fields(half)
		if i == 0 && s.ClientRow != "" {
			fmt.Fprintf(p.w, "row\t%s\n", printable.OneLine(s.ClientRow))
		}
		if half.Kind != audit.KindIntent && half.Outcome != audit.OutcomeUnknown {
			p.qrs(s.QRs)
		}
		if i == len(halves)-1 { // an outcome repeats the findings of its intent
			p.problems(half)
		}
	}
	if s.Result().Kind == audit.KindIntent && !p.half {
		fmt.Fprint(p.w, "\nno outcome is recorded: whether the request reached the service is unknown, ask before you repeat it\n")
	}
	if err := p.w.Flush(); err != nil {
		return err
	}
	if err := p.printClients(s.At); err != nil {
		return err
	}
	return p.printSides(s.Exchange)
}

// printClients writes the table of clients that an access began with, a line for each row.
func (p *tablePrinter) printClients(r *audit.Record) error {
	if !r.IsTableOfClients() || r.Presence != audit.Present {
		return nil
	}
	label := fmt.Sprintf("clients: %s\n", bodyText(r.RequestLength, printable.Digest(r.RequestDigest), true))
	if len(r.Request) == 0 {
		label = "clients: none\n"
	}
	if _, err := io.WriteString(p.out, "\n"+label); err != nil {
		return err
	}
	for line := range strings.Lines(string(r.Request)) {
		if _, err := fmt.Fprintln(p.out, printable.OneLine(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// fields writes a line for each field that is not empty.
func (p *tablePrinter) fields(r *audit.Record) {
	q := printable.RecordOf(r)
	field := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "0" {
			fmt.Fprintf(p.w, "%s\t%s\n", name, printable.OneLine(text))
		}
	}
	fmt.Fprintf(p.w, "record\t%s/%d (%s)\n", q.Log, q.Index, q.Kind)
	if q.Intent != nil {
		fmt.Fprintf(p.w, "intent\t%s/%d\n", cmp.Or(q.IntentLog, q.Log), *q.Intent)
	}
	field("exchange", q.ID)
	field("trace_id", q.TraceID)
	field("time", q.Time)
	if r.Kind != audit.KindIntent {
		field("duration", r.Duration)
	}
	field("node", q.Node)
	field("client", q.ClientAddress)
	field("identity", q.ClientIdentity)
	field("client_table", q.ClientTable)
	field("client_row", q.ClientRow)
	field("operation", q.Operation)
	field("cuit", q.Cuit)
	field("pto_vta", q.PtoVta)
	field("cbte_tipo", q.CbteTipo)
	for _, v := range q.Vouchers {
		fmt.Fprintf(p.w, "voucher\t%d-%d %s %s\n", v.CbteDesde, v.CbteHasta, printable.OneLine(v.Code), printable.OneLine(v.Resultado))
	}
	field("resultado", q.Resultado)
	field("decision", q.Decision)
	if p.columns.colored && q.Outcome != "" {
		fmt.Fprintf(p.w, "outcome\t%s\n", paint(printable.OneLine(string(q.Outcome)), colorOf(string(q.Outcome))))
	} else {
		field("outcome", q.Outcome)
	}
	field("certainty", q.Certainty)
	field("status", q.Status)
	field("upstream", q.Upstream)
	field("content", contentText(r))
	if r.Kind == audit.KindAccess {
		field("purge", purgeText(r.Purge))
		field("what", q.Detail)
		return
	}
	field("origin", q.Origin)
	field("cause", q.Cause)
	field("detail", q.Detail)
	// The request of an outcome is kept in its intent.
	field("request", bodyText(q.RequestLength, q.RequestSHA256, len(q.Request) > 0 || r.Kind == audit.KindOutcome))
	if r.Kind != audit.KindIntent {
		field("answer", bodyText(q.AnswerLength, q.AnswerSHA256, len(q.Answer) > 0))
	}
}

// qrs writes the text of each QR code, or why there is none.
func (p *tablePrinter) qrs(all []qrcode.Code) {
	for _, q := range all {
		text := q.Address
		if text == "" {
			text = "none: " + q.Missing.In(story.English)
		}
		fmt.Fprintf(p.w, "qr\t%d %s\n", q.CbteDesde, text)
	}
}

// purgeText describes the scope of a purge.
func purgeText(p *audit.PurgeScope) string {
	if p == nil {
		return ""
	}
	text := fmt.Sprintf("of the months before %s, records %d to %d: content of %d, %d kept for a hold", p.Before, p.First, int64(p.Next)-1, p.Records, p.HeldRecords)
	if len(p.Held) > 0 {
		text += "; held were " + strings.Trim(fmt.Sprint(p.Held), "[]")
	}
	if p.Retention != nil {
		text += fmt.Sprintf("; retention %d", p.Retention.Years)
		if p.Retention.Override != "" {
			text += ", overridden: " + p.Retention.Override
		}
	}
	return text
}

// problems writes the findings of the gateway, each with its rule, and the messages of the
// service.
func (p *tablePrinter) problems(r *audit.Record) {
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(p.w, "finding\t%s %s %s %s: %s\n", f.Code, f.Severity, f.Action, printable.OneLine(strings.TrimRight(f.Pointer+" "+printable.PathOf(r, f), " ")), printable.OneLine(findingText(r, f)))
		if rule := story.RuleText(f.Code); rule != "" {
			fmt.Fprintf(p.w, "\trule %s: %s\n", f.Code, rule)
		}
	}
	if r.Decision != audit.DecisionForward {
		return // the answer is the gateway's own, and repeats its findings
	}
	for _, one := range audit.Messages(r.Answer) {
		list := "Errors"
		if one.Observed {
			list = "Observaciones"
		}
		fmt.Fprintf(p.w, "service\t%s %s: %s\n", printable.OneLine(one.Code), list, printable.OneLine(one.Msg))
	}
}
