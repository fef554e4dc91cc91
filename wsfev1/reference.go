package wsfev1

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed tables/*.tsv
var tableFiles embed.FS

// ReferenceTables are the tables that are the same for every issuer, each with
// its rows in the order in which the service gives them (docs/sources.md#tables).
type ReferenceTables struct {
	Cbte, Concepto, Doc, Tributo []TipoRow
	Iva, Moneda, Opcional        []CodigoRow
	Pais                         []PaisTipo
	// CondicionIvaReceptor has the joined Cmp_Clase that the service gives where
	// no class was asked for. That is not the list of classes which admit the
	// condition: AdmitsCondicionIVAReceptor is.
	CondicionIvaReceptor []CondicionIvaReceptor

	// conditionClasses are the classes that admit each row of CondicionIvaReceptor.
	conditionClasses [][]Class
}

// reference is never changed once it is loaded: answers share its rows.
var reference = mustLoadTables()

// Tables returns the reference tables. The rows are shared by all callers: they
// must not be changed.
func Tables() ReferenceTables { return reference }

// mustLoadTables panics on a malformed table: the files are part of the program,
// and the tables are loaded when the package is initialised.
func mustLoadTables() ReferenceTables {
	t := ReferenceTables{
		Cbte: mustRead("cbte", tipoRow), Concepto: mustRead("concepto", tipoRow),
		Doc: mustRead("doc", tipoRow), Tributo: mustRead("tributo", tipoRow),
		Iva: mustRead("iva", codigoRow), Moneda: mustRead("moneda", codigoRow), Opcional: mustRead("opcional", codigoRow),
		Pais: mustRead("pais", func(c *Columns) PaisTipo {
			return PaisTipo{Id: int32(c.Number(0, 16)), Desc: c.Text(1)}
		}),
		CondicionIvaReceptor: mustRead("condicion", func(c *Columns) CondicionIvaReceptor {
			return CondicionIvaReceptor{Id: int32(c.Number(0, 32)), Desc: c.Text(1), Cmp_Clase: c.Text(2)}
		}),
	}
	t.conditionClasses = mustRead("condicion", func(c *Columns) (classes []Class) {
		for class := range strings.SplitSeq(c.Text(3), "/") {
			classes = append(classes, Class(class))
		}
		return classes
	})
	return t
}

func mustRead[Row any](name string, row func(*Columns) Row) []Row {
	rows, err := ReadTable(tableFiles, "tables/"+name+".tsv", row)
	if err != nil {
		panic(fmt.Sprintf("wsfev1: %v", err))
	}
	return rows
}

func tipoRow(c *Columns) TipoRow {
	return TipoRow{Id: int32(c.Number(0, 32)), Desc: c.Text(1), FchDesde: c.Text(2), FchHasta: c.Text(3)}
}

func codigoRow(c *Columns) CodigoRow {
	return CodigoRow{Id: c.Text(0), Desc: c.Text(1), FchDesde: c.Text(2), FchHasta: c.Text(3)}
}

// Columns are the columns of one row of a table file, counted from 0. Asking for
// one that cannot be read makes ReadTable fail.
type Columns struct {
	cells []string
	err   error
}

// Text returns a column as it stands.
func (c *Columns) Text(i int) string {
	if c == nil {
		return ""
	}
	if i < 0 || i >= len(c.cells) {
		c.fail(fmt.Errorf("no column %d", i))
		return ""
	}
	return c.cells[i]
}

// Number reads a column that holds an integer of at most so many bits.
func (c *Columns) Number(i, bits int) int64 {
	n, err := strconv.ParseInt(c.Text(i), 10, bits)
	if err != nil {
		c.fail(fmt.Errorf("column %d: %w", i, err))
	}
	return n
}

// Amount reads a column that holds a decimal.
func (c *Columns) Amount(i int) Amount {
	a, err := ParseAmount(c.Text(i))
	if err != nil {
		c.fail(fmt.Errorf("column %d: %w", i, err))
	}
	return a
}

func (c *Columns) fail(err error) {
	if c != nil && c.err == nil {
		c.err = err
	}
}

// ReadTable reads a table file: columns separated by tabs, a first line that
// names them, then one row a line. It fails on a row that has not as many columns
// as the first line names, and on one that row cannot read.
func ReadTable[Row any](files fs.FS, name string, row func(*Columns) Row) ([]Row, error) {
	if files == nil || row == nil {
		return nil, fmt.Errorf("table %s: no files, or no way to read a row", name)
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	width := strings.Count(lines[0], "\t") + 1
	rows := make([]Row, 0, len(lines)-1)
	for i, line := range lines[1:] {
		c := Columns{cells: strings.Split(line, "\t")}
		if len(c.cells) != width {
			return nil, fmt.Errorf("table %s: %d columns instead of %d in line %d", name, len(c.cells), width, i+2)
		}
		read := row(&c)
		if c.err != nil {
			return nil, fmt.Errorf("table %s: line %d: %w", name, i+2, c.err)
		}
		rows = append(rows, read)
	}
	return rows, nil
}
