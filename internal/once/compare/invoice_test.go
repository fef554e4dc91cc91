package compare_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/once/compare"
	"github.com/fielato/fielato/wsfev1"
)

// leaf is a scalar member of an invoice.
type leaf struct {
	path  string
	shape *wsfev1.Shape
	// value is where it stands; a pointer where it may be absent.
	value reflect.Value
}

// leaves are the scalar members of an object, of each item of its lists too. An absent member has
// none below it.
func leaves(path string, shape *wsfev1.Shape, object reflect.Value) (all []leaf) {
	for i := range shape.Members {
		m := &shape.Members[i]
		value, at := object.FieldByIndex(m.Index), path+m.Name
		switch m.Shape.Kind {
		case wsfev1.KindObject:
			if m.Pointer && !value.IsNil() {
				all = append(all, leaves(at+"/", m.Shape, value.Elem())...)
			}
		case wsfev1.KindList:
			for j := range value.Len() {
				all = append(all, leaves(at+"/", m.Shape.Item, value.Index(j))...)
			}
		default:
			all = append(all, leaf{at, m.Shape, value})
		}
	}
	return all
}

// grow gives an object the members that may be absent, and its lists items.
func grow(shape *wsfev1.Shape, object reflect.Value, items func() int) {
	for i := range shape.Members {
		m := &shape.Members[i]
		value := object.FieldByIndex(m.Index)
		if m.Pointer {
			value.Set(reflect.New(m.Shape.Type))
			value = value.Elem()
		}
		switch m.Shape.Kind {
		case wsfev1.KindObject:
			grow(m.Shape, value, items)
		case wsfev1.KindList:
			value.Set(reflect.MakeSlice(m.Shape.Type, items(), 10))
			for j := range value.Len() {
				grow(m.Shape.Item, value.Index(j), items)
			}
		}
	}
}

// set gives a scalar the n-th of many values of its kind.
func (l leaf) set(n int) {
	value := l.value
	if value.Kind() == reflect.Pointer {
		value.Set(reflect.New(value.Type().Elem()))
		value = value.Elem()
	}
	switch l.shape.Kind {
	case wsfev1.KindInteger:
		value.SetInt(int64(n))
	case wsfev1.KindAmount:
		value.Set(reflect.ValueOf(wsfev1.AmountOf(int64(100*n), 2)))
	default:
		value.SetString(fmt.Sprintf("text %d", n))
	}
}

func (l leaf) clear() { l.value.SetZero() }

// issuer is the CUIT that sends the invoices.
const issuer = wsfev1.CUIT(20111111112)

// whole is a service paid in dollars with every member there is, and no two alike; under an
// advance code or not.
func whole(advance bool) any {
	header := wsfev1.FeCabReq{CantReg: 1, PtoVta: 1, CbteTipo: 6}
	if advance {
		invoices := make([]wsfev1.FECAEADetRequest, 1)
		fillWhole(reflect.ValueOf(&invoices[0]).Elem(), &invoices[0].FECAEDetRequest)
		invoices[0].CAEA = "36470000000001"
		return &wsfev1.FECAEARegInformativoRequest{FeCAEARegInfReq: wsfev1.FeCAEARegInfReq{
			FeCabReq: header, FeDetReq: wsfev1.FeCAEADetReq{FECAEADetRequest: invoices},
		}}
	}
	invoices := make([]wsfev1.FECAEDetRequest, 1)
	fillWhole(reflect.ValueOf(&invoices[0]).Elem(), &invoices[0])
	return &wsfev1.FECAESolicitarRequest{FeCAEReq: wsfev1.FeCAEReq{FeCabReq: header, FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: invoices}}}
}

func fillWhole(value reflect.Value, invoice *wsfev1.FECAEDetRequest) {
	shape := wsfev1.ShapeOf(value.Type())
	grow(shape, value, func() int { return 2 })
	for n, l := range leaves("", shape, value) {
		l.set(100 + n)
	}
	invoice.Concepto, invoice.MonId, invoice.CanMisMonExt = 2, "DOL", "S"
	invoice.CbteDesde, invoice.CbteHasta = 5, 5
}

// keptOf is what a service keeps that changes nothing.
func keptOf(t testing.TB, sent any) *wsfev1.FECompConsResult {
	t.Helper()
	kept := &wsfev1.FECompConsResult{
		Resultado: "A", EmisionTipo: "CAE", CodAutorizacion: "86470000000005", FchVto: "20261130",
		FchProceso: "20261120120000", PtoVta: 1, CbteTipo: 6,
	}
	lot := wsfev1.LotOf(sent)
	kept.FECAEDetRequest = *clone(t, lot.Invoice(0))
	if advance := lot.CAEAInvoice(0); advance != nil {
		kept.EmisionTipo, kept.CodAutorizacion = "CAEA", advance.CAEA
	}
	return kept
}

func clone[T any](t testing.TB, of *T) *T {
	t.Helper()
	text, err := json.Marshal(of)
	if err != nil {
		t.Fatal(err)
	}
	copied := new(T)
	if err := json.Unmarshal(text, copied); err != nil {
		t.Fatal(err)
	}
	return copied
}

// differences compares the only invoice of a request with the service's.
func differences(sent any, kept *wsfev1.FECompConsResult) []compare.Difference {
	return compare.Invoice(wsfev1.LotOf(sent), 0, issuer, nil, kept)
}
