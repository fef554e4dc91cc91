package caddymodule

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"path"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

//go:embed evidence_page.html
var evidencePageText string

// The template escapes what it is given by where it stands: bodies, names of clients
// and messages of the service may hold anything.
var evidencePageTemplate = template.Must(template.New("index.html").Parse(evidencePageText))

// evidencePage is what the page of a bundle says.
type evidencePage struct {
	Exchanges []pageExchange
}

type pageExchange struct {
	Address, Intent, Time, Duration, Operation string
	Outcome, Certainty, Client, Node           string
	Status                                     int
	Upstream, Detail                           string
	RequestLength, AnswerLength                int64
	RequestSHA256, AnswerSHA256                string
	Vouchers                                   []audit.Voucher
	Findings                                   []pageFinding
	Remarks                                    []audit.Remark
	Request, Answer                            string
	Files                                      []pageFile
}

type pageFinding struct{ Code, Severity, Action, Pointer, Text string }

type pageFile struct{ Path, Name string }

// In the reader's language: the words of a record are for programs.
var (
	spanishCertainty = map[audit.Certainty]string{
		audit.Answered: "el servicio respondió",
		audit.NotSent:  "no se envió nada al servicio",
		audit.Unknown:  "el pedido salió y no se conoce respuesta: no se sabe si el servicio lo atendió",
	}
	spanishOutcome = map[string]string{
		outcomeApproved: "aprobado", outcomeObserved: "aprobado con observaciones", outcomePartial: "aprobado en parte",
		outcomeRejected: "rechazado por el servicio", outcomeAnswered: "respondido",
		outcomeUpstreamError: "el servicio respondió otra cosa, o que falló", outcomeInadmissible: "no admitido por la pasarela",
		outcomeMalformed: "rechazado por la pasarela: mal formado", outcomeRefused: "rechazado por la pasarela según una regla",
		outcomeUnrecorded: "rechazado: no se podía registrar", outcomeNotSent: "no enviado", outcomeUnknown: "sin respuesta",
		outcomeOpen: "sin resultado registrado",
	}
	spanishAction = map[string]string{"refuse": "rechazó", "observe": "observó"}
)

func (p *evidencePage) add(x *evidenceExchange, files []string) {
	r := x.record
	one := pageExchange{
		Address: fmt.Sprintf("%s/%d", r.Log, r.Index),
		Time:    r.Time.In(wsfev1.Argentina).Format("2006-01-02 15:04:05.000000 -07:00"), Duration: r.Duration.String(),
		Operation: r.Operation, Outcome: cmp.Or(spanishOutcome[outcomeText(r)], r.Outcome),
		Certainty: cmp.Or(spanishCertainty[r.Certainty], string(r.Certainty)),
		Client:    r.ClientAddress, Node: r.Node, Status: r.Status, Upstream: r.Upstream, Detail: r.Detail,
		RequestLength: r.RequestLength, AnswerLength: r.AnswerLength,
		RequestSHA256: digest(r.RequestDigest), AnswerSHA256: digest(r.AnswerDigest),
		Vouchers: r.Vouchers, Request: string(x.request), Answer: string(x.answer),
	}
	if x.intent != nil {
		one.Intent = fmt.Sprintf("%s/%d", x.intent.Log, x.intent.Index)
	}
	if r.Kind == audit.KindIntent {
		one.Duration = ""
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		one.Findings = append(one.Findings, pageFinding{
			f.Code, f.Severity, cmp.Or(spanishAction[f.Action], f.Action), f.Pointer, explanationOf(f),
		})
	}
	if r.Decision == decisionForward {
		one.Remarks = audit.Remarks(r.Answer)
	}
	for _, file := range files {
		one.Files = append(one.Files, pageFile{file, path.Base(file)})
	}
	p.Exchanges = append(p.Exchanges, one)
}

// html returns the page, which needs no other file to be read.
func (p *evidencePage) html(query *audit.Query, made time.Time) ([]byte, error) {
	var b bytes.Buffer
	err := evidencePageTemplate.Execute(&b, map[string]any{
		"Query": query, "Made": made.In(wsfev1.Argentina).Format("2006-01-02 15:04:05 -07:00"), "Exchanges": p.Exchanges,
	})
	if err != nil {
		return nil, fmt.Errorf("writing the page: %w", err)
	}
	return b.Bytes(), nil
}
