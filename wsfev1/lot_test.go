package wsfev1_test

import (
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

func TestALotGivesTheInvoicesOfTheRequestItself(t *testing.T) {
	cae := &wsfev1.FECAESolicitarRequest{}
	cae.FeCAEReq.FeDetReq.FECAEDetRequest = []wsfev1.FECAEDetRequest{{CbteDesde: 1}, {CbteDesde: 2}}
	lot := wsfev1.LotOf(cae)
	if lot.Len() != 2 || lot.Header != &cae.FeCAEReq.FeCabReq {
		t.Errorf("lot of %d with header %p", lot.Len(), lot.Header)
	}
	for i := range cae.FeCAEReq.FeDetReq.FECAEDetRequest {
		if lot.Invoice(i) != &cae.FeCAEReq.FeDetReq.FECAEDetRequest[i] {
			t.Errorf("invoice %d is not the one of the request", i)
		}
		if lot.CAEAInvoice(i) != nil {
			t.Errorf("invoice %d of a FECAESolicitar is one of a FECAEARegInformativo", i)
		}
	}
	if got, want := lot.InvoicePointer(1), "/FeCAEReq/FeDetReq/FECAEDetRequest/1"; got != want {
		t.Errorf("invoice 1 is at %s, want %s", got, want)
	}
}

func TestALotUnderAnAdvanceCodeGivesWhatOnlyThatHas(t *testing.T) {
	caea := &wsfev1.FECAEARegInformativoRequest{}
	caea.FeCAEARegInfReq.FeDetReq.FECAEADetRequest = []wsfev1.FECAEADetRequest{{CAEA: "a"}, {CAEA: "b"}, {CAEA: "c"}}
	lot := wsfev1.LotOf(caea)
	if lot.Len() != 3 || lot.Header != &caea.FeCAEARegInfReq.FeCabReq {
		t.Errorf("lot of %d with header %p", lot.Len(), lot.Header)
	}
	for i := range caea.FeCAEARegInfReq.FeDetReq.FECAEADetRequest {
		detail := &caea.FeCAEARegInfReq.FeDetReq.FECAEADetRequest[i]
		if lot.CAEAInvoice(i) != detail || lot.Invoice(i) != &detail.FECAEDetRequest {
			t.Errorf("invoice %d is not the one of the request", i)
		}
	}
	if got, want := lot.InvoicePointer(2), "/FeCAEARegInfReq/FeDetReq/FECAEADetRequest/2"; got != want {
		t.Errorf("invoice 2 is at %s, want %s", got, want)
	}
}

func TestOnlyIssuingRequestsAreLots(t *testing.T) {
	for _, op := range wsfev1.Operations {
		lot := wsfev1.LotOf(op.NewRequest())
		if want := op.Family == wsfev1.FamilyIssuing; (lot != nil) != want {
			t.Errorf("%s is a lot: %v, want %v", op.Name, lot != nil, want)
		}
		if lot != nil && lot.Len() != 0 {
			t.Errorf("an empty %s has %d invoices", op.Name, lot.Len())
		}
	}
	if wsfev1.LotOf(nil) != nil {
		t.Error("nothing is a lot")
	}
}
