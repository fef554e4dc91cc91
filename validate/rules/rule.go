package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Rule is one entry of the catalogue: a code with which the service answers, and
// what stands behind it.
type Rule struct {
	// Code is the service's own number.
	Code int32
	// Operations are those that answer with the code.
	Operations []string
	// Severities are those with which it comes, the usual one first.
	Severities []validate.Severity
	// From and Until are the first and the last processing day on which the service
	// applies it; no text where that is open.
	From, Until wsfev1.Date
	// DecidedAt says where it can be decided.
	DecidedAt Decided
	// StateToo: a part of a rule of the edge is decided by state, so that the service may find it
	// where the edge finds nothing.
	StateToo bool
	// Default is the level at which it is judged unless Settings set another. A rule that is
	// decided by state is not judged here at all.
	Default validate.Level
	// Partly is the default of its sentences that rest on weaker ground, or, for a member that
	// validate.Base lacks, of all of it under that contract. It is empty where there are none
	// (docs/validation.md#what-observes-by-default).
	Partly validate.Level
	// EarlierObserve: vouchers dated before From are observed, whatever Default is, as no source says
	// whether the day of the voucher or of the process counts.
	EarlierObserve bool
	// Spanish and English name the mistake when the rule finds something.
	Spanish, English string
	// Cure and CureEnglish say how and where to mend a mistake that the service alone decides; no text
	// for most codes.
	Cure, CureEnglish string
	// Sources support the rule, the source of its usual code first. There is at least one.
	Sources []Source
}

// Decided says where a rule can be decided.
type Decided string

const (
	// Edge rules are decided by the request alone, with the clock and the
	// service's own tables.
	Edge Decided = "edge"
	// State rules need the ledger or the tax register.
	State Decided = "state"
)

// rule is one sentence of the catalogue: when it is broken, each operation answers
// with a code of its own. Rules of one code make one Rule.
type rule struct {
	codes codes
	// from and until are the first and last processing day in force.
	from, until wsfev1.Date
	// level is the default; none is Enforce, for an OBS Observe.
	level validate.Level
	// extension: it asks for a member that the base contract lacks. Under that contract it only
	// observes, unless a setting names it.
	extension bool
	// types narrows an invoice rule to some types of voucher; nil is all.
	types types
	// with is the part of the invoice without which there is nothing to judge.
	with part

	es, en string
	// announced says in English how the service behaves as of the day in from. It is set where the service
	// has announced the day and clients have to change something until then.
	announced string
	// notice: it tells an edge what may follow from state, which another sentence decides. Who decides
	// state does without it.
	notice bool
	// earlier: it is the sentence of another rule about vouchers dated before its day (asksFrom).
	earlier bool
	// also are the rule's sources beside the manual's table. unlisted: the table has
	// the code with another meaning.
	also     []Source
	unlisted bool

	// At most one is set; a rule without is decided by state. request looks at a
	// request that has no lot, lot at a lot as a whole, invoice at each invoice.
	request func(*requestCheck)
	lot     func(*lotCheck)
	invoice func(*invoiceCheck)
}

func (r *rule) decidedAt() Decided {
	if r.request == nil && r.lot == nil && r.invoice == nil {
		return State
	}
	return Edge
}

// code is a number with which an operation answers, and how.
type code struct {
	operation string
	number    int32
	severity  validate.Severity
}

type codes []code

// operation is the name of an operation, to which codes are given.
type operation string

const (
	cae              operation = "FECAESolicitar"
	caea             operation = "FECAEARegInformativo"
	caeaSolicitar    operation = "FECAEASolicitar"
	caeaConsultar    operation = "FECAEAConsultar"
	sinMovInformar   operation = "FECAEASinMovimientoInformar"
	sinMovConsultar  operation = "FECAEASinMovimientoConsultar"
	compConsultar    operation = "FECompConsultar"
	ultimoAutorizado operation = "FECompUltimoAutorizado"
	cotizacion       operation = "FEParamGetCotizacion"
	condicionIVA     operation = "FEParamGetCondicionIvaReceptor"
)

func (o operation) err(number int32) code { return code{string(o), number, validate.ERR} }
func (o operation) seq(number int32) code { return code{string(o), number, validate.SEQ} }
func (o operation) exc(number int32) code { return code{string(o), number, validate.EXC} }
func (o operation) obs(number int32) code { return code{string(o), number, validate.OBS} }

// both gives one header code to the two operations that issue.
func both(number int32) codes { return codes{cae.err(number), caea.err(number)} }

// part is a part of the invoice that may be left out.
type part uint8

const (
	always part = iota
	withCbtesAsoc
	withTributos
	withIva
	withOpcionales
	withCompradores
	withPeriodoAsoc
	withActividades
	parts // the number of them
)

// has reports whether the part was sent; an empty one was.
func (p part) has(d *wsfev1.FECAEDetRequest) bool {
	switch p {
	case withCbtesAsoc:
		return d.CbtesAsoc != nil
	case withTributos:
		return d.Tributos != nil
	case withIva:
		return d.Iva != nil
	case withOpcionales:
		return d.Opcionales != nil
	case withCompradores:
		return d.Compradores != nil
	case withPeriodoAsoc:
		return d.PeriodoAsoc != nil
	case withActividades:
		return d.Actividades != nil
	}
	return true
}
