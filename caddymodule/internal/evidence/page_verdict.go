package evidence

import (
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
)

// pageVerdict is the verdict in words.
type pageVerdict struct {
	Class, Title, Sentence, Known string
	// Reasons are those that the sentence does not quote, and Intro says what they are.
	Intro             string
	Reasons           []reason
	Consequence, Test string
	OthersText        string
	Number            int
}

// verdict words a verdict, with the reasons that the exchange which shows it gives.
func (b *evidenceBundle) verdict(v *verdict, x *evidenceExchange) pageVerdict {
	s := *v.by
	if x.record.Presence == audit.Present {
		s.codes, s.reason = nil, "" // the reasons have them
	}
	p := pageVerdict{
		Class: v.class(), Title: v.title(), Sentence: b.words.result(&s),
		Known: "Se supo el " + spanish.Moment(s.known()), Number: v.number, OthersText: v.othersText(),
	}
	switch v.state {
	case open:
		p.Known = "El pedido es del " + spanish.Moment(s.began)
		p.Consequence = "Antes de enviarlo otra vez hay que consultar al servicio si existe: si fue atendido, está emitido."
	case existing:
		p.Consequence = "El registro no tiene un pedido de emitirlo que el servicio haya aprobado; no se comparó el contenido."
	case approved, rejected:
		p.explain(v, x.record, b.query.Number)
	}
	if s.outcome == audit.OutcomeNotIssued {
		p.Consequence = "Puede enviarse otra vez."
	}
	if b.isTest(&s) {
		p.Title += " (prueba)"
		p.Test = b.words.testText(&s)
	}
	return p
}

// explain adds the reasons: a single one to the sentence itself.
func (p *pageVerdict) explain(v *verdict, r *audit.Record, number int64) {
	if r.Presence != audit.Present {
		if v.state == rejected {
			p.Consequence = "El motivo no se muestra: " + spanishMissing[r.Presence] + "."
		}
		return
	}
	if v.by.outcome == audit.OutcomeNotIssued || v.by.outcome == outcomeDifferent {
		return // the sentence has the reason
	}
	own, elsewhere := reasonsOf(r, v.by, findingsOf(r), number)
	if v.state == rejected {
		for _, one := range own {
			p.Consequence = strings.TrimSpace(p.Consequence + " " + view.CureInWords(one.Code))
		}
	}
	switch {
	case len(own) == 0 || v.state == approved && elsewhere: // others of the lot were observed
	case v.state == approved:
		p.Intro, p.Reasons = "Con observaciones:", own
	case elsewhere:
		p.Intro, p.Reasons = "El pedido era un lote, y el motivo está en otro comprobante del lote:", own
	case len(own) == 1:
		p.Sentence = strings.TrimSuffix(p.Sentence, ".") + ": " + own[0].String() + "."
	default:
		p.Intro, p.Reasons = "Los motivos:", own
	}
}
