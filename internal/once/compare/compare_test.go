package compare_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/once/compare"
	"github.com/fielato/fielato/wsfev1"
)

var (
	invoiceShape = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.FECAEDetRequest]())
	advanceShape = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.FECAEADetRequest]())
)

// leavesOf are the members of the invoice that was sent, or of one that is kept.
func leavesOf(shape *wsfev1.Shape, of any) []leaf {
	return leaves("", shape, reflect.ValueOf(of).Elem())
}

// TestEveryMemberOfAnInvoiceHasARow: the service's way to change a member must be known before the
// member can be sent.
func TestEveryMemberOfAnInvoiceHasARow(t *testing.T) {
	rows, sources := compare.EchoedMembers()
	for i, source := range sources {
		if source == "" {
			t.Errorf("the row of %s has no source", rows[i])
		}
	}
	var members []string
	sent := whole(true).(*wsfev1.FECAEARegInformativoRequest)
	for _, l := range leavesOf(advanceShape, &sent.FeCAEARegInfReq.FeDetReq.FECAEADetRequest[0]) {
		if !slices.Contains(members, l.path) {
			members = append(members, l.path)
		}
		if !slices.Contains(rows, l.path) {
			t.Errorf("%s has no row", l.path)
		}
	}
	for _, row := range rows {
		if !slices.Contains(members, row) {
			t.Errorf("there is a row of %s, which no invoice has", row)
		}
	}
}

// TestAnInvoiceThatDiffersInOneMemberIsAnother: each member of the definition is changed,
// and the invoice is not taken for the one that was sent.
func TestAnInvoiceThatDiffersInOneMemberIsAnother(t *testing.T) {
	for _, advance := range []bool{false, true} {
		r := whole(advance)
		if d := differences(r, keptOf(t, r)); len(d) > 0 {
			t.Fatalf("as it was sent: %+v", d)
		}
		for i, l := range leavesOf(invoiceShape, &keptOf(t, r).FECAEDetRequest) {
			kept := keptOf(t, r)
			leavesOf(invoiceShape, &kept.FECAEDetRequest)[i].set(77)
			if len(differences(r, kept)) == 0 {
				t.Errorf("another %s, by advance code %t: taken for the same", l.path, advance)
			}
		}
	}
	r, kept := whole(true), keptOf(t, whole(true))
	kept.CodAutorizacion = "36470000000009"
	if len(differences(r, kept)) == 0 {
		t.Error("another advance code: taken for the same")
	}
}

// TestWhatOneSideAloneHasIsADifference, except for members that the service fills in or may not echo.
func TestWhatOneSideAloneHasIsADifference(t *testing.T) {
	filledIn := strings.Fields("CbteFch MonCotiz CbtesAsoc/CbteAsoc/CbteFch")
	notEchoed := strings.Fields("CanMisMonExt CondicionIVAReceptorId CbtesAsoc/CbteAsoc/CbteFch")
	r := whole(false)
	for i, l := range leavesOf(invoiceShape, wsfev1.LotOf(r).Invoice(0)) {
		kept := keptOf(t, r)
		leavesOf(invoiceShape, &kept.FECAEDetRequest)[i].clear()
		if same := len(differences(r, kept)) == 0; same != slices.Contains(notEchoed, l.path) {
			t.Errorf("the service has no %s: taken for the same %t", l.path, same)
		}
		if l.path == "CbteDesde" || l.path == "CbteHasta" {
			continue
		}
		kept, sent := keptOf(t, r), whole(false)
		leavesOf(invoiceShape, wsfev1.LotOf(sent).Invoice(0))[i].clear()
		if same := len(differences(sent, kept)) == 0; same != slices.Contains(filledIn, l.path) {
			t.Errorf("no %s was sent: taken for the same %t", l.path, same)
		}
	}
}

// TestAListOfOneSideAloneIsADifference, a part of it too.
func TestAListOfOneSideAloneIsADifference(t *testing.T) {
	for i := range invoiceShape.Members {
		m := &invoiceShape.Members[i]
		if m.Shape.Kind != wsfev1.KindObject {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			of := func(invoice *wsfev1.FECAEDetRequest) reflect.Value {
				return reflect.ValueOf(invoice).Elem().FieldByIndex(m.Index)
			}
			r, kept := whole(false), keptOf(t, whole(false))
			of(&kept.FECAEDetRequest).SetZero()
			if len(differences(r, kept)) == 0 {
				t.Error("the service has none: taken for the same")
			}
			kept = keptOf(t, r)
			of(wsfev1.LotOf(r).Invoice(0)).SetZero()
			if len(differences(r, kept)) == 0 {
				t.Error("none was sent: taken for the same")
			}
			if m.Shape.Members[0].Shape.Kind != wsfev1.KindList {
				return
			}
			r, kept = whole(false), keptOf(t, whole(false))
			items := of(&kept.FECAEDetRequest).Elem().Field(0)
			items.Set(items.Slice(0, 1))
			if len(differences(r, kept)) == 0 {
				t.Error("the service has the first of two: taken for the same")
			}
		})
	}
}

// TestNumbersAloneAreComparedWhereNothingElseIsLeft.
func TestNumbersAloneAreComparedWhereNothingElseIsLeft(t *testing.T) {
	kept := keptOf(t, whole(false))
	for sent, want := range map[wsfev1.InvoiceRange][]compare.Difference{
		{CbteDesde: 5, CbteHasta: 5}: nil,
		{CbteDesde: 4, CbteHasta: 5}: {{Field: "CbteDesde", Sent: "4", Kept: "5"}},
		{CbteDesde: 5, CbteHasta: 9}: {{Field: "CbteHasta", Sent: "9", Kept: "5"}},
		{CbteDesde: 3, CbteHasta: 4}: {{Field: "CbteDesde", Sent: "3", Kept: "5"}, {Field: "CbteHasta", Sent: "4", Kept: "5"}},
	} {
		if got := compare.Numbers(sent, kept); !slices.Equal(got, want) {
			t.Errorf("%+v: %+v, want %+v", sent, got, want)
		}
	}
}
