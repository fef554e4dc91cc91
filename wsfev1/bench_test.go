package wsfev1_test

import (
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// asked are the questions that the rules put for each invoice or each line of
// one. Their arguments are variables, or the compiler would answer them once.
var (
	askedID                = int32(5)
	askedTributo           = int16(13)
	askedPais              = int32(200)
	askedType, askedRemito = int32(2), int32(991)
	askedPesos, askedEuro  = "PES", "060"
	askedOpcional          = "2101"
	askedClass             = wsfev1.ClassALEY
	askedDate, askedOther  = wsfev1.Date("20240229"), wsfev1.Date("20240201")
	askedStamp             = wsfev1.Timestamp("20240229235959")

	asked = map[string]func() bool{
		"IsDocTipo":                  func() bool { return wsfev1.IsDocTipo(askedID) },
		"IsMonedaPesos":              func() bool { return wsfev1.IsMoneda(askedPesos) },
		"IsMonedaEuro":               func() bool { return wsfev1.IsMoneda(askedEuro) },
		"IsTributo":                  func() bool { return wsfev1.IsTributo(askedTributo) },
		"IsOpcional":                 func() bool { return wsfev1.IsOpcional(askedOpcional) },
		"IsPais":                     func() bool { return wsfev1.IsPais(askedPais) },
		"IvaRate":                    func() bool { _, ok := wsfev1.IvaRate(askedID); return ok },
		"IsCondicionIVAReceptor":     func() bool { return wsfev1.IsCondicionIVAReceptor(askedID) },
		"AdmitsCondicionIVAReceptor": func() bool { return !wsfev1.AdmitsCondicionIVAReceptor(askedClass, askedID) },
		"IsRemito":                   func() bool { return wsfev1.IsRemito(askedRemito) },
		"AssociatesAny":              func() bool { return wsfev1.AssociatesAny(askedType) },
		"MayAssociate":               func() bool { return wsfev1.MayAssociate(askedType, askedRemito) },
		"MayAssociateInCAEA":         func() bool { return wsfev1.MayAssociateInCAEA(askedType, askedRemito) },
		"MayCarryOpcionales":         func() bool { return wsfev1.MayCarryOpcionales(askedType) },
		"MayCarryOpcionalesInCAEA":   func() bool { return wsfev1.MayCarryOpcionalesInCAEA(askedType) },
		"IsInformable":               func() bool { return wsfev1.IsInformable(askedType) },
		"DateValid":                  func() bool { return askedDate.Valid() },
		"DateTime":                   func() bool { _, ok := askedDate.Time(); return ok },
		"SameMonth":                  func() bool { return askedDate.SameMonth(askedOther) },
		"TimestampValid":             func() bool { return askedStamp.Valid() },
		"TimestampDate":              func() bool { return askedStamp.Date() == askedDate },
	}
)

func TestQuestionsOfTheRulesAllocateNothing(t *testing.T) {
	for name, ask := range asked {
		if !ask() {
			t.Errorf("%s is answered with no", name)
		}
		if n := testing.AllocsPerRun(100, func() { ask() }); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

var askedLot *wsfev1.Lot

func TestALotIsOneAllocation(t *testing.T) {
	for _, request := range []any{&wsfev1.FECAESolicitarRequest{}, &wsfev1.FECAEARegInformativoRequest{}} {
		if n := testing.AllocsPerRun(100, func() { askedLot = wsfev1.LotOf(request) }); n > 1 {
			t.Errorf("the lot of a %T takes %v allocations", request, n)
		}
	}
}

func BenchmarkQuestionsOfTheRules(b *testing.B) {
	for name, ask := range asked {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ask()
			}
		})
	}
}

func BenchmarkAddDays(b *testing.B) {
	for name, days := range map[string]int{"within the month": -10, "across months": 10} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				askedDate.AddDays(days)
			}
		})
	}
}

func BenchmarkLotOf(b *testing.B) {
	var request any = &wsfev1.FECAESolicitarRequest{}
	b.ReportAllocs()
	for b.Loop() {
		askedLot = wsfev1.LotOf(request)
	}
}
