package backend

import (
	"context"
	"embed"
	"fmt"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

//go:embed tables/*.tsv
var tableFiles embed.FS

// tables are the built-in reference tables.
var tables = mustLoadTables()

// Tables are the reference tables with which a Backend answers, in the order in
// which it gives them: those that are the same for every issuer (wsfev1.Tables) and
// the two that this simulator makes up, activities and rates. They are read by all
// answers and never changed.
//
// The queries answer with the rows of the tables. Rules 10038 and 10119 compare an invoice's rate
// with the rates here. All other rules judge by the service's own tables, whatever stands here.
type Tables struct {
	cbte, concepto, doc, tributo []wsfev1.TipoRow
	iva, moneda, opcional        []wsfev1.CodigoRow
	pais                         []wsfev1.PaisTipo
	condicion                    []wsfev1.CondicionIvaReceptor
	// condicionClasses are the classes that admit each row of condicion.
	condicionClasses [][]wsfev1.Class
	actividad        []wsfev1.ActividadesTipo
	// cotizacion holds the figures of each currency by ascending date.
	cotizacion map[string][]wsfev1.Cotizacion
}

// mustLoadTables panics on a malformed table: the files are part of the program.
func mustLoadTables() *Tables {
	shared := wsfev1.Tables()
	t := &Tables{
		cbte: shared.Cbte, concepto: shared.Concepto, doc: shared.Doc, tributo: shared.Tributo,
		iva: shared.Iva, moneda: shared.Moneda, opcional: shared.Opcional,
		pais: shared.Pais, condicion: shared.CondicionIvaReceptor,
	}
	for _, row := range t.condicion {
		t.condicionClasses = append(t.condicionClasses, slices.DeleteFunc(slices.Clone(conditionClasses), func(class wsfev1.Class) bool {
			return !wsfev1.AdmitsCondicionIVAReceptor(class, row.Id)
		}))
	}
	t.actividad = mustRead("actividad", func(c *wsfev1.Columns) wsfev1.ActividadesTipo {
		return wsfev1.ActividadesTipo{Id: c.Number(0, 64), Orden: int32(c.Number(1, 16)), Desc: c.Text(2)}
	})
	t.setRates(mustRead("cotizacion", func(c *wsfev1.Columns) wsfev1.Cotizacion {
		return wsfev1.Cotizacion{MonId: c.Text(0), FchCotiz: wsfev1.Date(c.Text(1)), MonCotiz: c.Amount(2)}
	}))
	return t
}

// setRates takes rates that stand by ascending date for each currency.
func (t *Tables) setRates(rows []wsfev1.Cotizacion) {
	t.cotizacion = map[string][]wsfev1.Cotizacion{}
	for _, row := range rows {
		t.cotizacion[row.MonId] = append(t.cotizacion[row.MonId], row)
	}
}

func mustRead[Row any](name string, row func(*wsfev1.Columns) Row) []Row {
	rows, err := wsfev1.ReadTable(tableFiles, "tables/"+name+".tsv", row)
	if err != nil {
		panic(fmt.Sprintf("backend: %v", err))
	}
	return rows
}

// conditionClasses are the values of ClaseCmp.
var conditionClasses = []wsfev1.Class{wsfev1.ClassA, wsfev1.ClassALEY, wsfev1.ClassB, wsfev1.ClassC, wsfev1.Class49}

// receiverConditions answers FEParamGetCondicionIvaReceptor. With a class it gives
// the rows of that class, each with that class alone.
func (b *Backend) receiverConditions(_ context.Context, c *call, r *wsfev1.FEParamGetCondicionIvaReceptorRequest, answer *wsfev1.FEParamGetCondicionIvaReceptorAnswer) error {
	if r.ClaseCmp != "" && !slices.Contains(conditionClasses, wsfev1.Class(r.ClaseCmp)) {
		c.findings.fail(10244, "ClaseCmp debe ser A, ALEY, B, C o 49")
	}
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	list := &wsfev1.CondicionIvaReceptorList{}
	for i, row := range b.tables.condicion {
		if r.ClaseCmp != "" {
			if !slices.Contains(b.tables.condicionClasses[i], wsfev1.Class(r.ClaseCmp)) {
				continue
			}
			row.Cmp_Clase = r.ClaseCmp
		}
		list.CondicionIvaReceptor = append(list.CondicionIvaReceptor, row)
	}
	answer.ResultGet = list
	return nil
}
