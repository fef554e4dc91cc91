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

// tables are the reference tables, in the order in which the service gives them.
// They are read by all answers and never changed.
var tables = mustLoadTables()

// referenceTables are those that are the same for every issuer (wsfev1.Tables) and
// the two that this simulator makes up: activities and rates.
type referenceTables struct {
	cbte, concepto, doc, tributo []wsfev1.TipoRow
	iva, moneda, opcional        []wsfev1.CodigoRow
	pais                         []wsfev1.PaisTipo
	condicion                    []wsfev1.CondicionIvaReceptor
	actividad                    []wsfev1.ActividadesTipo
	// cotizacion holds the figures of each currency by ascending date.
	cotizacion map[string][]wsfev1.Cotizacion
}

// mustLoadTables panics on a malformed table: the files are part of the program.
func mustLoadTables() *referenceTables {
	shared := wsfev1.Tables()
	t := &referenceTables{
		cbte: shared.Cbte, concepto: shared.Concepto, doc: shared.Doc, tributo: shared.Tributo,
		iva: shared.Iva, moneda: shared.Moneda, opcional: shared.Opcional,
		pais: shared.Pais, condicion: shared.CondicionIvaReceptor,
		cotizacion: map[string][]wsfev1.Cotizacion{},
	}
	t.actividad = mustRead("actividad", func(c *wsfev1.Columns) wsfev1.ActividadesTipo {
		return wsfev1.ActividadesTipo{Id: c.Number(0, 64), Orden: int32(c.Number(1, 16)), Desc: c.Text(2)}
	})
	for _, row := range mustRead("cotizacion", func(c *wsfev1.Columns) wsfev1.Cotizacion {
		return wsfev1.Cotizacion{MonId: c.Text(0), FchCotiz: wsfev1.Date(c.Text(1)), MonCotiz: c.Amount(2)}
	}) {
		t.cotizacion[row.MonId] = append(t.cotizacion[row.MonId], row)
	}
	return t
}

func mustRead[Row any](name string, row func(*wsfev1.Columns) Row) []Row {
	rows, err := wsfev1.ReadTable(tableFiles, "tables/"+name+".tsv", row)
	if err != nil {
		panic(fmt.Sprintf("backend: %v", err))
	}
	return rows
}

// conditionClasses are the values of ClaseCmp.
var conditionClasses = []string{"A", "ALEY", "B", "C", "49"}

// receiverConditions answers FEParamGetCondicionIvaReceptor. With a class it gives
// the rows of that class, each with that class alone.
func (b *Backend) receiverConditions(_ context.Context, c *call, r *wsfev1.FEParamGetCondicionIvaReceptorRequest, answer *wsfev1.FEParamGetCondicionIvaReceptorAnswer) error {
	if r.ClaseCmp != "" && !slices.Contains(conditionClasses, r.ClaseCmp) {
		c.findings.fail(10244, "ClaseCmp debe ser A, ALEY, B, C o 49")
	}
	if c.findings.failed() {
		c.findings.report(&answer.Envelope)
		return nil
	}
	list := &wsfev1.CondicionIvaReceptorList{}
	for _, row := range tables.condicion {
		if r.ClaseCmp != "" {
			if !wsfev1.AdmitsCondicionIVAReceptor(wsfev1.Class(r.ClaseCmp), row.Id) {
				continue
			}
			row.Cmp_Clase = r.ClaseCmp
		}
		list.CondicionIvaReceptor = append(list.CondicionIvaReceptor, row)
	}
	answer.ResultGet = list
	return nil
}
