package caddymodule

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// printer writes records for people or for programs.
type printer interface {
	// row writes one record of several, end what comes after the last.
	row(*audit.Record) error
	end() error
	// whole writes one record with everything in it.
	whole(*audit.Record) error
}

// tablePrinter writes a table of rows, or one record as a list of its fields.
type tablePrinter struct {
	w *tabwriter.Writer
	// begun tells that the head of the table was written.
	begun bool
}

func newTablePrinter(w io.Writer) *tablePrinter {
	return &tablePrinter{w: tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)}
}

const tableHead = "INDEX\tTIME\tOPERATION\tCUIT\tPTOVTA\tCBTETIPO\tNUMBER\tCODE\tOUTCOME\tCERTAINTY\n"

func (p *tablePrinter) row(r *audit.Record) error {
	if !p.begun {
		p.begun = true
		if _, err := io.WriteString(p.w, tableHead); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(p.w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
		r.Index, r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:04:05.000"), orDash(r.Operation), number(int64(r.Cuit)),
		number(int64(r.PtoVta)), number(int64(r.CbteTipo)), numbers(r.Vouchers), orDash(codes(r.Vouchers)),
		orDash(outcomeText(r)), r.Certainty)
	return err
}

func (p *tablePrinter) end() error { return p.w.Flush() }

func (p *tablePrinter) whole(r *audit.Record) error {
	q := printed(r)
	field := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "0" {
			fmt.Fprintf(p.w, "%s\t%s\n", name, text)
		}
	}
	fmt.Fprintf(p.w, "record\t%s/%d (%s)\n", q.Log, q.Index, q.Kind)
	if q.Intent != nil {
		fmt.Fprintf(p.w, "intent\t%s/%d\n", q.Log, *q.Intent)
	}
	field("exchange", q.ID)
	field("time", q.Time)
	if r.Kind != audit.KindIntent {
		field("duration", r.Duration)
	}
	field("node", q.Node)
	field("client", q.ClientAddress)
	field("identity", q.ClientIdentity)
	field("operation", q.Operation)
	field("cuit", q.Cuit)
	field("pto_vta", q.PtoVta)
	field("cbte_tipo", q.CbteTipo)
	for _, v := range q.Vouchers {
		fmt.Fprintf(p.w, "voucher\t%d-%d %s %s\n", v.CbteDesde, v.CbteHasta, v.Code, v.Resultado)
	}
	field("resultado", q.Resultado)
	field("decision", q.Decision)
	field("outcome", q.Outcome)
	field("certainty", q.Certainty)
	field("status", q.Status)
	field("upstream", q.Upstream)
	field("detail", q.Detail)
	for _, f := range q.Findings {
		fmt.Fprintf(p.w, "finding\t%s %s %s %s: %s\n", f.Code, f.Severity, f.Action, f.Pointer,
			validate.Finding{Text: f.Text, Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance}.Explanation())
	}
	field("request", fmt.Sprintf("%d bytes, sha256 %s", q.RequestLength, q.RequestSHA256))
	field("answer", fmt.Sprintf("%d bytes, sha256 %s", q.AnswerLength, q.AnswerSHA256))
	if err := p.w.Flush(); err != nil {
		return err
	}
	for _, body := range []jsontext.Value{q.Request, q.Answer} {
		if len(body) == 0 {
			continue
		}
		if err := body.Indent(); err != nil {
			return fmt.Errorf("printing a body: %w", err)
		}
		if _, err := fmt.Fprintf(p.w, "\n%s\n", body); err != nil {
			return err
		}
	}
	return p.w.Flush()
}

// outcomeText names what became of the exchange; an intent has no outcome yet.
func outcomeText(r *audit.Record) string {
	if r.Kind == audit.KindIntent {
		return outcomeOpen
	}
	return r.Outcome
}

func number(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// numbers writes the first and last number of the exchange's invoices.
func numbers(vouchers []audit.Voucher) string {
	if len(vouchers) == 0 {
		return "-"
	}
	first, last := vouchers[0].CbteDesde, vouchers[len(vouchers)-1].CbteHasta
	if first == last {
		return number(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// codes writes the first CAE or CAEA and how many more there are.
func codes(vouchers []audit.Voucher) string {
	if len(vouchers) == 0 {
		return ""
	}
	if len(vouchers) == 1 || vouchers[0].Code == "" {
		return vouchers[0].Code
	}
	return fmt.Sprintf("%s +%d", vouchers[0].Code, len(vouchers)-1)
}
