package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
)

// Full writes the intent first, and the bodies at the end.
func (p *tablePrinter) Full(s Entry) error {
	halves := s.Records()
	for i, half := range halves {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		f := &table.Fields{}
		p.fields(f, half)
		if i == 0 && s.ClientRow != "" {
			f.Add("row", printable.OneLine(s.ClientRow))
		}
		if half.Kind != audit.KindIntent && half.Outcome != audit.OutcomeUnknown {
			addQRs(f, s.QRs)
		}
		if i == len(halves)-1 { // an outcome repeats the findings of its intent
			addProblems(f, half)
		}
		if err := f.Print(p.out); err != nil {
			return err
		}
	}
	if s.Result().Kind == audit.KindIntent && !p.half {
		fmt.Fprintln(p.out)
		if err := table.Line(p.out, "no outcome is recorded: whether the request reached the service is unknown, ask before you repeat it"); err != nil {
			return err
		}
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
	label := "clients: " + bodyText(r.RequestLength, printable.Digest(r.RequestDigest), true)
	if len(r.Request) == 0 {
		label = "clients: none"
	}
	fmt.Fprintln(p.out)
	if err := table.Line(p.out, label); err != nil {
		return err
	}
	for line := range strings.Lines(string(r.Request)) {
		if err := table.Line(p.out, printable.OneLine(strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	return nil
}

// fields adds each field that is not empty.
func (p *tablePrinter) fields(f *table.Fields, r *audit.Record) {
	q := printable.RecordOf(r)
	field := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "0" {
			f.Add(name, printable.OneLine(text))
		}
	}
	f.Addf("record", "%s/%d (%s)", q.Log, q.Index, q.Kind)
	if q.Intent != nil {
		f.Addf("intent", "%s/%d", cmp.Or(q.IntentLog, q.Log), *q.Intent)
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
	field("way", q.Way)
	field("client_table", q.ClientTable)
	field("client_row", q.ClientRow)
	field("certificate", q.Certificate)
	field("operation", q.Operation)
	field("cuit", q.Cuit)
	field("pto_vta", q.PtoVta)
	field("cbte_tipo", q.CbteTipo)
	for _, v := range q.Vouchers {
		f.Addf("voucher", "%d-%d %s %s", v.CbteDesde, v.CbteHasta, printable.OneLine(v.Code), printable.OneLine(v.Resultado))
	}
	field("resultado", q.Resultado)
	field("decision", q.Decision)
	if p.columns.colored && q.Outcome != "" {
		f.Add("outcome", paint(printable.OneLine(string(q.Outcome)), colorOf(string(q.Outcome))))
	} else {
		field("outcome", q.Outcome)
	}
	field("certainty", q.Certainty)
	field("status", q.Status)
	field("upstream", q.Upstream)
	field("environment", q.Environment)
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

// addQRs adds the text of each QR code, or why there is none.
func addQRs(f *table.Fields, all []qrcode.Code) {
	for _, q := range all {
		text := q.Address
		if text == "" {
			text = "none: " + q.Missing.In(story.English)
		}
		f.Addf("qr", "%d %s", q.CbteDesde, text)
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

// addProblems adds the findings of the gateway, each with its rule, and the messages of the
// service. Names and codes stand on one line, and texts, which are in Spanish, below.
func addProblems(f *table.Fields, r *audit.Record) {
	for i := range r.Findings {
		found := &r.Findings[i]
		f.Add("finding", printable.OneLine(strings.TrimRight(fmt.Sprintf("%s %s %s %s %s", found.Code, found.Severity, found.Action, found.Pointer, printable.PathOf(r, found)), " ")))
		f.Add("", printable.OneLine(findingText(r, found)))
		if rule := story.RuleText(found.Code); rule != "" {
			f.Addf("", "regla %s: %s", found.Code, rule)
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
		f.Addf("service", "%s %s", printable.OneLine(one.Code), list)
		f.Add("", printable.OneLine(one.Msg))
	}
}
