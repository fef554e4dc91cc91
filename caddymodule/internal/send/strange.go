package send

import (
	"slices"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// strange returns the pointer of the first place where an answer with Errors, which may be incomplete, is about another
// request: a proxy on the way may have mixed up two answers. It is empty if all that the answer has is of this one.
func (f fit) strange(typed any) string {
	switch a := typed.(type) {
	case *wsfev1.FECAESolicitarAnswer:
		return f.strangeLot(a.FeCabResp, "/FeDetResp/FECAEDetResponse")
	case *wsfev1.FECAEARegInformativoAnswer:
		return f.strangeLot(a.FeCabResp, "/FeDetResp/FECAEADetResponse")
	case *wsfev1.FECAEASolicitarAnswer:
		if a.ResultGet != nil {
			return f.fortnightMismatch(a.ResultGet)
		}
	case *wsfev1.FECAEASinMovimientoInformarAnswer:
		return f.pointMismatch(a)
	}
	return ""
}

// strangeLot is strange for an answer to a lot. details is the pointer of the list of verdicts.
func (f fit) strangeLot(head *wsfev1.FeCabResp, details string) string {
	if head != nil {
		if member := f.headMismatch(head); member != "" {
			return member
		}
	}
	asked := f.subject.Invoices
	if len(f.verdict.Invoices) > len(asked) {
		return details
	}
	for i := range f.verdict.Invoices {
		said := f.verdict.Invoices[i].InvoiceRange
		if said != (wsfev1.InvoiceRange{}) && said != asked[i] && !slices.Contains(asked, said) {
			return details + "/" + strconv.Itoa(i) + "/CbteDesde"
		}
	}
	return ""
}
