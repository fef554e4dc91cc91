package clients

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// Right is one of the rights that a request needs. It is the word that names it in a row.
type Right string

// The rights, in the order in which they are looked at.
const (
	RightCuit      Right = "cuits"
	RightOperation Right = "may"
	RightPtoVta    Right = "pto_vta"
	RightCbteTipo  Right = "cbte_tipo"
	RightAmount    Right = "max_amount"
)

// Denial says which right a request lacks. The zero value says that it lacks none.
type Denial struct {
	Right Right
	// Invoice is the index of the invoice that needs the right, -1 if the whole request does.
	Invoice int
}

// Denies reports whether a right is missing.
func (d Denial) Denies() bool { return d.Right != "" }

// Pointer returns the JSON Pointer of the member of the request that needs the right. It is empty for an
// operation, which no member names.
func (d Denial) Pointer(request any) string {
	lot := wsfev1.LotOf(request)
	if d.Right == RightAmount {
		return lot.InvoicePointer(d.Invoice) + "/ImpTotal"
	}
	member := map[Right]string{RightCuit: "/Auth/Cuit", RightPtoVta: "/PtoVta", RightCbteTipo: "/CbteTipo"}[d.Right]
	if d.Right == RightPtoVta || d.Right == RightCbteTipo {
		if lot != nil {
			return lot.HeaderPointer + member
		}
		if _, consulted := request.(*wsfev1.FECompConsultarRequest); consulted {
			return "/FeCompConsReq" + member
		}
	}
	return member
}

// rights are what a client may do.
type rights struct {
	cuits         set[wsfev1.CUIT]
	operations    operations
	ptoVta, types set[int32]
	maxAmount     wsfev1.Amount // no bound if it was not sent
}

// set is a set of numbers, or all of them.
type set[N ~int32 | ~int64] struct {
	all    bool
	sorted []N
}

func (s *set[N]) has(n N) bool {
	if s.all {
		return true
	}
	_, found := slices.BinarySearch(s.sorted, n)
	return found
}

// decide returns the first right that a request lacks. It allocates nothing.
func (r *rights) decide(op *wsfev1.Operation, request any) Denial {
	if op.Family == wsfev1.FamilyHealth {
		return Denial{}
	}
	series := seriesOf(request)
	switch {
	case !r.cuits.has(wsfev1.AuthOf(request).Cuit):
		return Denial{RightCuit, -1}
	case !r.operations.has(op):
		return Denial{RightOperation, -1}
	case series.names && !r.ptoVta.has(series.ptoVta):
		return Denial{RightPtoVta, -1}
	case series.namesType && !r.types.has(series.cbteTipo):
		return Denial{RightCbteTipo, -1}
	case r.maxAmount.Sent():
		return r.decideAmounts(request)
	}
	return Denial{}
}

// decideAmounts looks for an invoice above the largest amount, or below 0, which no invoice can be.
func (r *rights) decideAmounts(request any) Denial {
	lot := wsfev1.LotOf(request)
	for i := range lot.Len() {
		if amount, ok := inPesos(lot.Invoice(i)); !ok || amount.Sign() < 0 || amount.Cmp(r.maxAmount) > 0 {
			return Denial{RightAmount, i}
		}
	}
	return Denial{}
}

// inPesos returns the total of an invoice in pesos, false if that cannot be said: an invoice without a rate gets
// the service's own, which nobody knows yet.
func inPesos(invoice *wsfev1.FECAEDetRequest) (wsfev1.Amount, bool) {
	if invoice.MonId == pesos {
		return invoice.ImpTotal, invoice.ImpTotal.Exact()
	}
	total := invoice.ImpTotal.Trim().Mul(invoice.MonCotiz.Trim())
	return total, invoice.MonCotiz.Sign() > 0 && total.Exact()
}

// pesos is the code of the peso in the table of currencies (docs/sources.md#tables).
const pesos = "PES"

// series is what a request says of a numbering. names and namesType tell a value of 0 from none.
type series struct {
	names, namesType bool
	ptoVta, cbteTipo int32
}

func seriesOf(request any) series {
	if lot := wsfev1.LotOf(request); lot != nil {
		return series{true, true, lot.Header.PtoVta, lot.Header.CbteTipo}
	}
	switch q := request.(type) {
	case *wsfev1.FECompConsultarRequest:
		return series{true, true, q.FeCompConsReq.PtoVta, q.FeCompConsReq.CbteTipo}
	case *wsfev1.FECompUltimoAutorizadoRequest:
		return series{true, true, q.PtoVta, q.CbteTipo}
	case *wsfev1.FECAEASinMovimientoRequest:
		return series{names: true, ptoVta: q.PtoVta}
	}
	return series{}
}

// operations is a set of operations, one bit for each by its place in wsfev1.Operations.
type operations uint64

// bitOf is the bit of each operation.
var bitOf = func() map[*wsfev1.Operation]operations {
	bits := map[*wsfev1.Operation]operations{}
	for i, op := range wsfev1.Operations {
		bits[op] = 1 << i
	}
	return bits
}()

func (o operations) has(op *wsfev1.Operation) bool { return o&bitOf[op] != 0 }

// familyWord is a word for all operations of a family.
type familyWord struct {
	word   string
	family wsfev1.Family
}

// families are these words, in the order of the canonical text.
var families = []familyWord{
	{"issue", wsfev1.FamilyIssuing}, {"caea", wsfev1.FamilyCAEA}, {"query", wsfev1.FamilyQuery}, {"tables", wsfev1.FamilyTable},
}

// family returns the operations of a family.
func family(of wsfev1.Family) (all operations) {
	for _, op := range wsfev1.Operations {
		if op.Family == of {
			all |= bitOf[op]
		}
	}
	return all
}
