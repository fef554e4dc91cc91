package story

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/wsfev1"
)

// Invoice is the story of one invoice: all exchanges about it.
type Invoice struct {
	// Query names the invoice: Cuit, PtoVta, CbteTipo and Number.
	Query audit.Query
	// Entries are the exchanges, in the order in which they began (SortEntries).
	Entries []*Entry
	// Outages are those that an exchange fell into (FellInto).
	Outages []*Outage
	// BuiltInSince are the times at which the built-in service first issued into each of the logs, zero for
	// never.
	BuiltInSince []time.Time

	code string // kept, as every sentence asks for it
}

// CodeName names what authorises the invoice. One that was informed has a CAEA.
func (i *Invoice) CodeName() string {
	if i.code == "" {
		i.code = "CAE"
		if slices.ContainsFunc(i.Entries, (*Entry).isInformed) {
			i.code = "CAEA"
		}
	}
	return i.code
}

// EnvironmentOf returns the environment of an exchange's service, empty if it is not known.
func (i *Invoice) EnvironmentOf(s *Entry) environment.Environment {
	if s.Voucher.Code != "" && IsTestCode(s.Environment, s.Known(), i.BuiltInSince...) {
		return environment.BuiltIn
	}
	return s.Environment
}

// IsTest reports whether the built-in service has answered, or would have.
func (i *Invoice) IsTest(s *Entry) bool { return i.EnvironmentOf(s) == environment.BuiltIn }

// TestNote marks a code that is not valid; empty for one that may be.
func (i *Invoice) TestNote(s *Entry) string {
	switch i.EnvironmentOf(s) {
	case environment.BuiltIn:
		return i.CodeName() + " de prueba, sin validez fiscal"
	case environment.Testing:
		return i.CodeName() + " de homologación, sin validez fiscal"
	}
	return ""
}

// TestText warns that what an exchange shows is not valid; empty if it may be.
func (i *Invoice) TestText(s *Entry) string {
	switch of := i.EnvironmentOf(s); {
	case of == environment.Testing && s.IsAuthorised():
		return i.TestNote(s) + ": lo dio el servicio de pruebas de ARCA."
	case of == environment.Testing:
		return Printed.T("note.testing")
	case of != environment.BuiltIn:
		return ""
	case s.IsAuthorised():
		return i.TestNote(s) + ": lo dio el servicio de prueba incorporado en la pasarela, no ARCA."
	}
	return Printed.T("note." + noteBuiltIn(s.Certainty))
}

// Judgement is a verdict in words.
type Judgement struct {
	Class                  State
	Title, Sentence, Known string
	// Reasons are those that the sentence does not quote, and Intro says what they are.
	Intro             string
	Reasons           []Reason
	Consequence, Test string
	// Others tells of other requests, and Number is the place of the exchange that shows the verdict.
	Others string
	Number int
}

// Judge words a verdict, with the reasons that the record of the exchange gives which shows it. r is nil
// where no exchange does.
func (i *Invoice) Judge(v *Verdict, r *audit.Record) Judgement {
	if v.By == nil {
		return Judgement{Class: Unknown, Title: "Sin pedidos ni consultas de clientes", Sentence: "Solo hay consultas propias de la pasarela."}
	}
	s := *v.By
	if r.Presence == audit.Present {
		s.Codes, s.Reason = nil, "" // the reasons have them
	}
	p := Judgement{
		Class: v.class(), Title: v.title(), Sentence: i.Result(&s),
		Known: "Se supo el " + printed.Moment(s.Known()), Number: v.Number, Others: v.othersText(),
	}
	switch v.State {
	case Unknown:
		p.Known = "El pedido es del " + printed.Moment(s.Began)
		p.Consequence = "Antes de enviarlo otra vez hay que consultar al servicio si existe: si fue atendido, está " + s.issued() + "."
	case Existing:
		p.Consequence = "El registro de auditoría no tiene un pedido de emitirlo que el servicio haya aprobado; no se comparó el contenido."
	case Approved, Rejected:
		p.explain(v, r, i.Query.Number)
	}
	if s.Outcome == audit.OutcomeNotIssued {
		p.Consequence = "Puede enviarse otra vez."
	}
	if p.Test = i.TestText(&s); p.Test != "" {
		p.Title += " (prueba)"
	}
	return p
}

// explain adds the reasons: a single one to the sentence itself.
func (p *Judgement) explain(v *Verdict, r *audit.Record, number int64) {
	if r.Presence != audit.Present {
		if v.State == Rejected {
			p.Consequence = "El motivo no se muestra: " + Printed.T("missing."+r.Presence.String()) + "."
		}
		return
	}
	if v.By.Outcome == audit.OutcomeNotIssued || v.By.isDifferent() {
		return // the sentence has the reason
	}
	own, elsewhere := reasonsOf(r, v.By, number)
	if v.State == Rejected {
		for _, one := range own {
			p.Consequence = strings.TrimSpace(p.Consequence + " " + CureInWords(one.Code))
		}
	}
	switch {
	case len(own) == 0 || v.State == Approved && elsewhere: // others of the lot were observed
	case v.State == Approved:
		p.Intro, p.Reasons = "Con observaciones:", own
	case elsewhere:
		p.Intro, p.Reasons = "El pedido era un lote, y el motivo está en otro comprobante del lote:", own
	case len(own) == 1:
		p.Sentence = strings.TrimSuffix(p.Sentence, ".") + ": " + own[0].String() + "."
	default:
		p.Intro, p.Reasons = "Los motivos:", own
	}
}

// Facts words the invoice's own data, and the code that authorises it. request is a record of the exchange that
// shows the verdict. missing says why data cannot be shown; empty if they can.
func (i *Invoice) Facts(v *Verdict, data bodies.Data, request *audit.Record) (all []bodies.Fact, missing string) {
	s := v.By
	if s.Voucher.CbteDesde != s.Voucher.CbteHasta {
		all = append(all, bodies.Fact{Name: "Rango de números", Value: spanish.Numbers(i.Query.PtoVta, s.Voucher.CbteDesde, s.Voucher.CbteHasta)})
	}
	if lot := printed.Lot(request); lot != "" {
		all = append(all, bodies.Fact{Name: "Enviado en", Value: lot})
	}
	if data == (bodies.Data{}) {
		missing = cmp.Or(Printed.T("missing."+request.Presence.String()), "no están en lo que se conserva del pedido")
	}
	all = append(all, data.Facts()...)
	if v.IsAuthorised() {
		value := s.Voucher.Code
		if note := i.TestNote(s); note != "" {
			value += " (" + note + ")"
		}
		all = append(all, bodies.Fact{Name: i.CodeName(), Value: value})
		if s.Voucher.Expires != "" {
			all = append(all, bodies.Fact{Name: "Vencimiento del " + i.CodeName(), Value: spanish.Day(wsfev1.Date(s.Voucher.Expires))})
		}
	}
	return all, missing
}
