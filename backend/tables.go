package backend

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

//go:embed tables/*.tsv
var tableFiles embed.FS

// tables are the reference tables, in the order in which the service gives them.
// They are read by all answers and never changed.
var tables = mustLoadTables()

type referenceTables struct {
	cbte, concepto, doc, tributo []wsfev1.TipoRow
	iva, moneda, opcional        []wsfev1.CodigoRow
	pais                         []wsfev1.PaisTipo
	actividad                    []wsfev1.ActividadesTipo
	condicion                    []conditionRow
	// cotizacion holds the figures of each currency by ascending date.
	cotizacion map[string][]wsfev1.Cotizacion
}

// conditionRow is an IVA condition. The joined Cmp_Clase that the service gives
// without ClaseCmp is not the list of classes that it admits: Consumidor Final
// leaves B out there and is admitted in B.
type conditionRow struct {
	wsfev1.CondicionIvaReceptor
	classes []string
}

// mustLoadTables panics on a malformed table: the files are part of the program.
func mustLoadTables() *referenceTables {
	t := &referenceTables{cotizacion: map[string][]wsfev1.Cotizacion{}}
	t.cbte, t.concepto = load("cbte", tipoRow), load("concepto", tipoRow)
	t.doc, t.tributo = load("doc", tipoRow), load("tributo", tipoRow)
	t.iva, t.moneda, t.opcional = load("iva", codigoRow), load("moneda", codigoRow), load("opcional", codigoRow)
	t.pais = load("pais", func(f fields) wsfev1.PaisTipo {
		return wsfev1.PaisTipo{Id: int32(f.number(0, 16)), Desc: f.text(1)}
	})
	t.actividad = load("actividad", func(f fields) wsfev1.ActividadesTipo {
		return wsfev1.ActividadesTipo{Id: f.number(0, 64), Orden: int32(f.number(1, 16)), Desc: f.text(2)}
	})
	t.condicion = load("condicion", func(f fields) conditionRow {
		return conditionRow{
			wsfev1.CondicionIvaReceptor{Id: int32(f.number(0, 32)), Desc: f.text(1), Cmp_Clase: f.text(2)},
			strings.Split(f.text(3), "/"),
		}
	})
	for _, row := range load("cotizacion", func(f fields) wsfev1.Cotizacion {
		return wsfev1.Cotizacion{MonId: f.text(0), FchCotiz: wsfev1.Date(f.text(1)), MonCotiz: wsfev1.MustAmount(f.text(2))}
	}) {
		t.cotizacion[row.MonId] = append(t.cotizacion[row.MonId], row)
	}
	return t
}

func tipoRow(f fields) wsfev1.TipoRow {
	return wsfev1.TipoRow{Id: int32(f.number(0, 32)), Desc: f.text(1), FchDesde: f.text(2), FchHasta: f.text(3)}
}

func codigoRow(f fields) wsfev1.CodigoRow {
	return wsfev1.CodigoRow{Id: f.text(0), Desc: f.text(1), FchDesde: f.text(2), FchHasta: f.text(3)}
}

// fields are the columns of one row.
type fields struct {
	name    string
	columns []string
}

func (f fields) text(i int) string { return f.columns[i] }

func (f fields) number(i, bits int) int64 {
	n, err := strconv.ParseInt(f.columns[i], 10, bits)
	if err != nil {
		panic(fmt.Sprintf("table %s: %v", f.name, err))
	}
	return n
}

// load reads one table; the first line names the columns.
func load[Row any](name string, read func(fields) Row) []Row {
	data, err := tableFiles.ReadFile("tables/" + name + ".tsv")
	if err != nil {
		panic(fmt.Sprintf("table %s: %v", name, err))
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	width := strings.Count(lines[0], "\t") + 1
	rows := make([]Row, 0, len(lines)-1)
	for _, line := range lines[1:] {
		f := fields{name, strings.Split(line, "\t")}
		if len(f.columns) != width {
			panic(fmt.Sprintf("table %s: %d columns instead of %d in %q", name, len(f.columns), width, line))
		}
		rows = append(rows, read(f))
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
			if !slices.Contains(row.classes, r.ClaseCmp) {
				continue
			}
			row.Cmp_Clase = r.ClaseCmp
		}
		list.CondicionIvaReceptor = append(list.CondicionIvaReceptor, row.CondicionIvaReceptor)
	}
	answer.ResultGet = list
	return nil
}
