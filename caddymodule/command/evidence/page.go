package evidence

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/command/view"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed page.html
var evidencePageText string

// evidencePageTemplate escapes its values by context: bodies, names of clients and messages
// of the service may hold anything.
var evidencePageTemplate = template.Must(template.New("").Parse(evidencePageText))

// pageExchange is an exchange on the page.
type pageExchange struct {
	Number                                     int
	Address, Intent, Time, Duration, Operation string
	Outcome, Certainty, Client, Node           string
	Status                                     int
	Upstream, Detail                           string
	RequestLength, AnswerLength                int64
	RequestSHA256, AnswerSHA256                string
	Vouchers                                   []audit.Voucher
	Findings                                   []pageFinding
	Messages                                   []audit.Message
	Request, Answer                            string
	// Content explains why bodies and texts cannot be read; empty if they can.
	Content string
	Files   []pageFile
}

type pageFinding struct{ Code, Severity, Action, Pointer, Text string }

type pageFile struct{ Path, Name string }

// The words of a record, which are for programs, in the reader's language.
var (
	spanishCertainty = map[audit.Certainty]string{
		audit.Answered: "el servicio respondió",
		audit.NotSent:  "no se envió nada al servicio",
		audit.Unknown:  "el pedido salió y no se conoce respuesta: no se sabe si el servicio lo atendió",
	}
	spanishOutcome = map[outcome.Outcome]string{
		outcome.Approved: "aprobado", outcome.Observed: "aprobado con observaciones", outcome.Partial: "aprobado en parte",
		outcome.Rejected: "rechazado por el servicio", outcome.Answered: "respondido",
		outcome.UpstreamError: "el servicio respondió otra cosa, o que falló", outcome.Inadmissible: "no admitido por la pasarela",
		outcome.Malformed: "rechazado por la pasarela: mal formado", outcome.Refused: "rechazado por la pasarela según una regla",
		outcome.Unrecorded: "rechazado: no se podía registrar", outcome.NotSent: "no enviado", outcome.Unknown: "sin respuesta",
		outcome.Open:      "sin resultado registrado",
		outcome.Recovered: "aprobado: no llegó la respuesta y se obtuvo consultando al servicio",
		outcome.NotIssued: "no emitido, según el servicio", outcome.Replayed: "respondido otra vez con la respuesta registrada",
		outcome.Cached:   "respondido con una respuesta reciente del servicio, ya registrada",
		outcome.Conflict: "rechazado: otro pedido igual estaba en curso", outcome.Busy: "rechazado: había otros pedidos de la serie en curso",
		outcome.Unsettled: "rechazado: el resultado de uno anterior era desconocido", outcome.Outage: "rechazado: el servicio no respondía",
	}
	spanishAction = map[string]string{"refuse": "rechazó", "observe": "observó"}
)

// spanishContent explains why the content of a record is missing.
var spanishContent = map[audit.Presence]string{
	audit.Purged: "eliminado según la política de conservación; el registro se prueba sin él",
	audit.Sealed: "cifrado: no se dio la clave",
}

// pageOf returns the number-th exchange for the page.
func pageOf(number int, x *evidenceExchange, files []string) *pageExchange {
	r := x.record
	one := &pageExchange{
		Number: number, Content: cmp.Or(spanishContent[r.Presence], spanishContent[x.requestRecord().Presence]),
		Address: r.Address(),
		Time:    r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:04:05.000000 -07:00"), Duration: r.Duration.String(),
		Operation: r.Operation, Outcome: cmp.Or(spanishOutcome[outcome.Outcome(view.OutcomeText(r))], r.Outcome),
		Certainty: cmp.Or(spanishCertainty[r.Certainty], string(r.Certainty)),
		Client:    r.ClientAddress, Node: r.Node, Status: r.Status, Upstream: r.Upstream, Detail: r.Detail,
		RequestLength: r.RequestLength, AnswerLength: r.AnswerLength,
		RequestSHA256: view.Digest(r.RequestDigest), AnswerSHA256: view.Digest(r.AnswerDigest),
		Vouchers: r.Vouchers, Request: string(x.request), Answer: string(x.answer),
	}
	if x.intent != nil {
		one.Intent = x.intent.Address()
	}
	if r.Kind == audit.KindIntent {
		one.Duration = ""
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		one.Findings = append(one.Findings, pageFinding{
			f.Code, f.Severity, cmp.Or(spanishAction[f.Action], f.Action), f.Pointer, cmp.Or(spanishContent[r.Presence], view.ExplanationOf(f)),
		})
	}
	if r.Decision == string(outcome.DecisionForward) {
		one.Messages = audit.Messages(r.Answer)
	}
	for _, file := range files {
		one.Files = append(one.Files, pageFile{file, path.Base(file)})
	}
	return one
}

// writePage writes the page, which needs no other file: a table of all exchanges, then each of
// them. It reads the store once for each part, so that one exchange is in memory at a time.
func (b *evidenceBundle) writePage(ctx context.Context, w io.Writer, places []recordPlace) error {
	part := func(name string, data any) error {
		if err := evidencePageTemplate.ExecuteTemplate(w, name, data); err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
		return nil
	}
	head := map[string]any{"Query": &b.query, "Made": b.made.In(wsfev1.Argentina).Format("2006-01-02 15:04:05 -07:00"), "Logs": b.logs}
	if err := part("head", head); err != nil {
		return err
	}
	for _, name := range []string{"row", "exchange"} {
		if name == "exchange" {
			if err := part("middle", head); err != nil {
				return err
			}
		}
		for i, at := range places {
			x, err := b.read(ctx, at)
			if err != nil {
				return err
			}
			if err := part(name, pageOf(i, x, b.filesOf[at])); err != nil {
				return err
			}
		}
	}
	return part("foot", head)
}
