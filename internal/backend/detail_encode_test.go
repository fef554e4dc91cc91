package backend

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// The ledger's form is what package json makes of a keptDetail.
func TestAnInvoiceIsKeptAsPackageJSONWritesIt(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 5))
	for range testrun.Size(t, 5_000, 500_000) {
		var sent wsfev1.FECAEDetRequest
		fillIn(random, reflect.ValueOf(&sent).Elem())
		date, generated := wsfev1.Date(anyText(random)), wsfev1.Timestamp(anyText(random))
		kept := keptDetail{FECAEDetRequest: normalised(&sent), CbteFchHsGen: generated}
		kept.CbteFch = date
		want, wantErr := encodeDetail(kept)
		got, err := written(&sent, date, generated)
		if (err != nil) != (wantErr != nil) || !bytes.Equal(got, want) {
			t.Fatalf("%s, %v\ninstead of\n%s, %v", got, err, want, wantErr)
		}
	}
}

func TestTheInvoicesOfALotAreKeptApart(t *testing.T) {
	request := &wsfev1.FECAEARegInformativoRequest{}
	list := make([]wsfev1.FECAEADetRequest, 3)
	dates := make([]wsfev1.Date, len(list))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range list {
		for ok := false; !ok; { // texts that are no UTF-8 cannot be kept
			list[i] = wsfev1.FECAEADetRequest{CbteFchHsGen: "20260301120000"}
			fillIn(random, reflect.ValueOf(&list[i].FECAEDetRequest).Elem())
			_, err := written(&list[i].FECAEDetRequest, "", "")
			ok = err == nil
		}
		dates[i] = wsfev1.Date(fmt.Sprintf("2026030%d", i+1))
	}
	request.FeCAEARegInfReq.FeDetReq.FECAEADetRequest = list
	all, err := detailsOf(wsfev1.LotOf(request), dates)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		want, _ := written(&list[i].FECAEDetRequest, dates[i], "20260301120000")
		got := all.of(i)
		if !bytes.Equal(got, want) {
			t.Errorf("invoice %d is kept as %s instead of %s", i, got, want)
		}
		_ = append(got, "what is appended to one must not reach the next"...)
	}
}

func written(sent *wsfev1.FECAEDetRequest, date wsfev1.Date, generated wsfev1.Timestamp) ([]byte, error) {
	var w detailWriter
	b := w.detail(nil, sent, date, generated)
	if w.err != nil {
		return nil, w.err
	}
	return b, nil
}

// texts are strings that need care in JSON, and some that do not.
var texts = []string{"", "", "PES", "20260301", `"`, "\\", "<&>", "\u2028", "año", "\x00\n\t", "\xff", "😀", "\u007f"}

func anyText(random *rand.Rand) string {
	text := texts[random.IntN(len(texts))]
	if text == "\xff" && random.IntN(8) > 0 { // it is refused, and so should be rare
		return ""
	}
	return text
}

var amounts = []string{"0", "0.00", "121.00", "100", "-1.50", "1e2", "1E-3", "0.10", "12345678901234567890.10", "1e400", "-0", "9999999999999.99"}

// fillIn sets all members to values of all kinds, also such as no rule allows.
func fillIn(random *rand.Rand, v reflect.Value) {
	if v.Type() == reflect.TypeFor[wsfev1.Amount]() {
		if random.IntN(4) > 0 {
			v.Set(reflect.ValueOf(wsfev1.MustAmount(amounts[random.IntN(len(amounts))])))
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, member := range v.Fields() {
			fillIn(random, member)
		}
	case reflect.Pointer:
		if random.IntN(2) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillIn(random, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(3), 3))
		for i := range v.Len() {
			fillIn(random, v.Index(i))
		}
	case reflect.String:
		v.SetString(anyText(random))
	default:
		n := int64(random.Uint64()) >> random.IntN(64)
		for v.OverflowInt(n) {
			n >>= 1
		}
		v.SetInt(n)
	}
}

func encodeDetail(detail keptDetail) ([]byte, error) {
	encoded, err := json.Marshal(&detail)
	if err != nil {
		return nil, fmt.Errorf("encode invoice: %w", err)
	}
	return encoded, nil
}

// normalised returns the invoice as the service echoes it: amounts without the
// zeros that end them, 0 for the ones that were left out, no empty lists. It
// shares nothing that it changes with the request.
func normalised(sent *wsfev1.FECAEDetRequest) wsfev1.FECAEDetRequest {
	d := *sent
	for _, a := range []*wsfev1.Amount{&d.ImpTotal, &d.ImpTotConc, &d.ImpNeto, &d.ImpOpEx, &d.ImpTrib, &d.ImpIVA} {
		*a = plain(*a)
	}
	// A rate may be left out on purpose (CanMisMonExt), so it stays out.
	d.MonCotiz = d.MonCotiz.Trim()
	if d.Tributos != nil {
		list := slices.Clone(d.Tributos.Tributo)
		for i := range list {
			t := &list[i]
			t.BaseImp, t.Alic, t.Importe = plain(t.BaseImp), plain(t.Alic), plain(t.Importe)
		}
		d.Tributos = &wsfev1.Tributos{Tributo: list}
	}
	if d.Iva != nil {
		list := slices.Clone(d.Iva.AlicIva)
		for i := range list {
			list[i].BaseImp, list[i].Importe = plain(list[i].BaseImp), plain(list[i].Importe)
		}
		d.Iva = &wsfev1.Iva{AlicIva: list}
	}
	if d.Compradores != nil {
		list := slices.Clone(d.Compradores.Comprador)
		for i := range list {
			list[i].Porcentaje = plain(list[i].Porcentaje)
		}
		d.Compradores = &wsfev1.Compradores{Comprador: list}
	}
	dropEmptyLists(&d)
	return d
}

func plain(a wsfev1.Amount) wsfev1.Amount {
	if !a.Sent() {
		return wsfev1.AmountOf(0, 0)
	}
	return a.Trim()
}

func dropEmptyLists(d *wsfev1.FECAEDetRequest) {
	if d.CbtesAsoc != nil && len(d.CbtesAsoc.CbteAsoc) == 0 {
		d.CbtesAsoc = nil
	}
	if d.Tributos != nil && len(d.Tributos.Tributo) == 0 {
		d.Tributos = nil
	}
	if d.Iva != nil && len(d.Iva.AlicIva) == 0 {
		d.Iva = nil
	}
	if d.Opcionales != nil && len(d.Opcionales.Opcional) == 0 {
		d.Opcionales = nil
	}
	if d.Compradores != nil && len(d.Compradores.Comprador) == 0 {
		d.Compradores = nil
	}
	if d.Actividades != nil && len(d.Actividades.Actividad) == 0 {
		d.Actividades = nil
	}
}
