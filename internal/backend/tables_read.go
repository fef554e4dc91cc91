package backend

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// ReadTables reads reference tables of the user's own: files of the names and the
// columns of the built-in ones, such as moneda.tsv, with one row a line, columns
// separated by tabs and a first line that names them. A table without a file is the
// built-in one. The error names file, line and column of each mistake, up to maxTableErrors of them.
func ReadTables(folder fs.FS) (*Tables, error) {
	t := *tables
	r := tableReader{folder: folder}
	if err := r.checkNames(); err != nil {
		return nil, err
	}
	read(&r, "cbte", &t.cbte, tipoRow)
	read(&r, "concepto", &t.concepto, tipoRow)
	read(&r, "doc", &t.doc, tipoRow)
	read(&r, "tributo", &t.tributo, tipoRow)
	read(&r, "iva", &t.iva, codigoRow)
	read(&r, "moneda", &t.moneda, codigoRow)
	read(&r, "opcional", &t.opcional, codigoRow)
	read(&r, "pais", &t.pais, func(cells []string) wsfev1.PaisTipo {
		return wsfev1.PaisTipo{Id: int32(number(cells[0])), Desc: cells[1]}
	})
	r.readConditions(&t)
	read(&r, "actividad", &t.actividad, func(cells []string) wsfev1.ActividadesTipo {
		return wsfev1.ActividadesTipo{Id: number(cells[0]), Orden: int32(number(cells[1])), Desc: cells[2]}
	})
	r.readRates(&t)
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return &t, nil
}

func (r *tableReader) readConditions(t *Tables) {
	type conditionRow struct {
		wsfev1.CondicionIvaReceptor
		classes []wsfev1.Class
	}
	var rows []conditionRow
	read(r, "condicion", &rows, func(cells []string) conditionRow {
		return conditionRow{
			wsfev1.CondicionIvaReceptor{Id: int32(number(cells[0])), Desc: cells[1], Cmp_Clase: cells[2]}, classes(cells[3]),
		}
	})
	if rows == nil {
		return
	}
	t.condicion, t.condicionClasses = nil, nil
	for _, row := range rows {
		t.condicion = append(t.condicion, row.CondicionIvaReceptor)
		t.condicionClasses = append(t.condicionClasses, row.classes)
	}
}

func (r *tableReader) readRates(t *Tables) {
	var rates []wsfev1.Cotizacion
	read(r, "cotizacion", &rates, rateRow)
	if rates == nil {
		return
	}
	slices.SortStableFunc(rates, func(a, b wsfev1.Cotizacion) int {
		return strings.Compare(string(a.FchCotiz), string(b.FchCotiz))
	})
	t.setRates(rates)
}

func tipoRow(cells []string) wsfev1.TipoRow {
	return wsfev1.TipoRow{Id: int32(number(cells[0])), Desc: cells[1], FchDesde: cells[2], FchHasta: cells[3]}
}

func codigoRow(cells []string) wsfev1.CodigoRow {
	return wsfev1.CodigoRow{Id: cells[0], Desc: cells[1], FchDesde: cells[2], FchHasta: cells[3]}
}

func rateRow(cells []string) wsfev1.Cotizacion {
	figure, _ := wsfev1.ParseAmount(cells[2]) // was checked
	return wsfev1.Cotizacion{MonId: cells[0], FchCotiz: wsfev1.Date(cells[1]), MonCotiz: figure}
}

// number reads a cell that was checked.
func number(cell string) int64 {
	n, _ := strconv.ParseInt(cell, 10, 64)
	return n
}

// maxTableErrors is how many mistakes are reported at once.
const maxTableErrors = 20

// tableReader reads the tables of one folder and collects their mistakes.
type tableReader struct {
	folder fs.FS
	errs   []error
}

// checkNames refuses a file whose name is almost a table's: with a mistyped name the built-in table
// would answer unnoticed.
func (r *tableReader) checkNames() error {
	files, err := fs.ReadDir(r.folder, ".")
	if err != nil {
		return fmt.Errorf("tables: the folder cannot be read: %w", err)
	}
	found := false
	for _, file := range files {
		name, isTable := strings.CutSuffix(file.Name(), tableSuffix)
		if !isTable {
			continue
		}
		if found = true; tableColumns[name] == nil {
			r.fail("%s: there is no such table: the names are those of %s", file.Name(), strings.Join(tableNames(), ", "))
		}
	}
	if !found {
		return fmt.Errorf("tables: the folder has none of %s", strings.Join(tableNames(), ", "))
	}
	return nil
}

func (r *tableReader) fail(format string, arguments ...any) {
	if len(r.errs) < maxTableErrors {
		r.errs = append(r.errs, fmt.Errorf(format, arguments...))
	}
}

const tableSuffix = ".tsv"

// read reads one table into rows, unless its file is missing or has a mistake.
func read[Row any](r *tableReader, name string, rows *[]Row, row func(cells []string) Row) {
	text, err := fs.ReadFile(r.folder, name+tableSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.fail("%s: %w", name+tableSuffix, err)
		return
	}
	before := len(r.errs)
	checked := r.check(name, string(text))
	if len(r.errs) > before || len(r.errs) == maxTableErrors {
		return
	}
	*rows = make([]Row, len(checked))
	for i, cells := range checked {
		(*rows)[i] = row(cells)
	}
}
