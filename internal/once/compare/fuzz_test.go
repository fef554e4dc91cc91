package compare_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// FuzzCompare: an invoice in the service's form is the same invoice, and one with another value
// anywhere is not.
func FuzzCompare(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed, uint16(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, which uint16) {
		random := rand.New(rand.NewPCG(seed, 1))
		r := whole(false)
		invoice := wsfev1.LotOf(r).Invoice(0)
		*invoice = wsfev1.FECAEDetRequest{}
		scribble(random, invoice)
		kept := keptOf(t, r)
		normalise(random, &kept.FECAEDetRequest)
		if d := differences(r, kept); len(d) > 0 {
			t.Fatalf("normalised: %+v\nsent %+v\nkept %+v", d, invoice, kept)
		}
		kept = keptOf(t, r)
		sent, of := leavesOf(invoiceShape, invoice), leavesOf(invoiceShape, &kept.FECAEDetRequest)
		i := int(which) % len(of)
		if free := []string{"CbteFch", "MonCotiz", "CbtesAsoc/CbteAsoc/CbteFch"}; slices.Contains(free, of[i].path) && isZero(sent[i]) {
			return // the service may choose
		}
		of[i].set(1_000_000)
		shuffle(random, &kept.FECAEDetRequest)
		if d := differences(r, kept); len(d) == 0 {
			t.Fatalf("another %s is not seen\nsent %+v\nkept %+v", of[i].path, invoice, kept)
		}
	})
}

func isZero(l leaf) bool {
	amount, ok := reflect.TypeAssert[wsfev1.Amount](l.value)
	return l.value.IsZero() || ok && amount.Sign() == 0 || l.shape.Kind == wsfev1.KindText && strings.Trim(l.value.String(), " NUL") == ""
}

// scribble fills an invoice with whatever its members can hold.
func scribble(random *rand.Rand, invoice *wsfev1.FECAEDetRequest) {
	value := reflect.ValueOf(invoice).Elem()
	grow(invoiceShape, value, func() int { return random.IntN(4) })
	for i := range invoiceShape.Members {
		if m := &invoiceShape.Members[i]; m.Pointer && random.IntN(3) == 0 {
			value.FieldByIndex(m.Index).SetZero()
		}
	}
	texts := []string{"", "Tasa", " Tasa  municipal ", "Percepción de Ñandú", strings.Repeat("Impuesto ", 12), "NULL"}
	for _, l := range leavesOf(invoiceShape, invoice) {
		switch n := random.IntN(6); {
		case l.shape.Kind == wsfev1.KindText:
			l.value.SetString(texts[n])
		case n > 0:
			l.set(n)
		}
	}
	invoice.Concepto, invoice.MonId = int32(1+random.IntN(3)), []string{"PES", "DOL"}[random.IntN(2)]
	if invoice.MonId == "PES" {
		invoice.MonCotiz = wsfev1.MustAmount("1.000")
	}
	invoice.CanMisMonExt = []string{"", "S", "N"}[random.IntN(3)]
	invoice.CbteDesde, invoice.CbteHasta = 5, 5
	if list := invoice.CbtesAsoc; list != nil {
		for i := range list.CbteAsoc {
			list.CbteAsoc[i].Cuit = []string{"", issuer.String(), "30500010912"}[random.IntN(3)]
		}
	}
}

// normalise changes an invoice as the service may.
func normalise(random *rand.Rand, invoice *wsfev1.FECAEDetRequest) {
	shuffle(random, invoice)
	for _, l := range leavesOf(invoiceShape, invoice) {
		switch l.shape.Kind {
		case wsfev1.KindAmount:
			l.value.Set(reflect.ValueOf(wsfev1.MustAmount(l.value.Interface().(wsfev1.Amount).Trim().String())))
		case wsfev1.KindText:
			l.value.SetString(strings.TrimSpace(strings.Replace(l.value.String(), "NULL", "", 1)))
		}
	}
	if invoice.Concepto == 1 && random.IntN(2) == 0 {
		invoice.FchServDesde, invoice.FchServHasta, invoice.FchVtoPago = "", "", ""
	}
	if invoice.CbteFch == "" {
		invoice.CbteFch = "20261120"
	}
	if invoice.MonCotiz.Sign() == 0 {
		invoice.MonCotiz = wsfev1.MustAmount("1450.5")
	}
	if random.IntN(2) == 0 {
		invoice.CanMisMonExt, invoice.CondicionIVAReceptorId = "", nil
	}
	if list := invoice.CbtesAsoc; list != nil {
		for i := range list.CbteAsoc {
			voucher := &list.CbteAsoc[i]
			if voucher.Nro == 0 {
				continue // nothing would be left of it
			}
			if voucher.CbteFch = ""; voucher.Cuit == issuer.String() {
				voucher.Cuit = ""
			}
		}
	}
	if list := invoice.Tributos; list != nil {
		for i := range list.Tributo {
			letters := []rune(strings.NewReplacer("ó", "o", "ú", "?", "Ñ", "\uFFFD").Replace(list.Tributo[i].Desc))
			list.Tributo[i].Desc = strings.TrimSpace(string(letters[:min(80, len(letters))]))
		}
	}
}

func shuffle(random *rand.Rand, invoice *wsfev1.FECAEDetRequest) {
	value := reflect.ValueOf(invoice).Elem()
	for i := range invoiceShape.Members {
		m := &invoiceShape.Members[i]
		list := value.FieldByIndex(m.Index)
		if m.Shape.Kind != wsfev1.KindObject || list.IsNil() || m.Shape.Members[0].Shape.Kind != wsfev1.KindList {
			continue
		}
		if list = list.Elem().Field(0); list.Len() > 0 {
			random.Shuffle(list.Len(), reflect.Swapper(list.Interface()))
		}
	}
}
