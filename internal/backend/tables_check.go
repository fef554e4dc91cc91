package backend

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1"
)

// column is a column of a table file.
type column struct {
	name string
	// wrong returns the mistake in a cell.
	wrong func(cell string) error
}

// tableColumns are the columns of each table. The first keyColumns of them name a
// row, which stands once.
var tableColumns = map[string][]column{
	"cbte":       {{"Id", wholeNumber(1, 1<<31-1)}, {"Desc", someText}, {"FchDesde", dayOrNull}, {"FchHasta", dayOrNull}},
	"concepto":   {{"Id", wholeNumber(1, 1<<31-1)}, {"Desc", someText}, {"FchDesde", dayOrNull}, {"FchHasta", dayOrNull}},
	"doc":        {{"Id", wholeNumber(0, 1<<31-1)}, {"Desc", someText}, {"FchDesde", dayOrNull}, {"FchHasta", dayOrNull}},
	"tributo":    {{"Id", wholeNumber(1, 1<<15-1)}, {"Desc", someText}, {"FchDesde", dayOrNull}, {"FchHasta", dayOrNull}},
	"iva":        {{"Id", wholeNumber(1, 1<<31-1)}, {"Desc", someText}, {"FchDesde", dayOrNull}, {"FchHasta", dayOrNull}},
	"moneda":     {{"Id", currency}, {"Desc", someText}, {"FchDesde", dayOrNull}, {"FchHasta", dayOrNull}},
	"opcional":   {{"Id", wholeNumber(1, 9999)}, {"Desc", someText}, {"FchDesde", dayOrNull}, {"FchHasta", dayOrNull}},
	"pais":       {{"Id", wholeNumber(1, 1<<15-1)}, {"Desc", someText}},
	"condicion":  {{"Id", wholeNumber(1, 1<<31-1)}, {"Desc", someText}, {"Cmp_Clase", someText}, {"Clases", knownClasses}},
	"actividad":  {{"Id", wholeNumber(1, 1<<62-1)}, {"Orden", wholeNumber(1, 1<<15-1)}, {"Desc", someText}},
	"cotizacion": {{"MonId", currency}, {"FchCotiz", day}, {"MonCotiz", rateFigure}},
}

// keyColumns is how many columns name a row: a currency has a rate for each day.
func keyColumns(table string) int {
	if table == "cotizacion" {
		return 2
	}
	return 1
}

func tableNames() []string {
	names := slices.Sorted(maps.Keys(tableColumns))
	for i := range names {
		names[i] += tableSuffix
	}
	return names
}

// check returns the cells of each row. Lines may end as Windows ends them, and the
// text may begin with the mark that Windows puts before UTF-8.
func (r *tableReader) check(name, text string) (rows [][]string) {
	file, columns := name+tableSuffix, tableColumns[name]
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "\ufeff"), "\n"), "\n")
	if heads := strings.Split(strings.TrimSuffix(lines[0], "\r"), "\t"); !slices.EqualFunc(heads, columns,
		func(head string, c column) bool { return head == c.name }) {
		r.fail("%s:1:1: the first line names the columns, with tabs between them: %s", file, columnNames(columns))
		return nil
	}
	if len(lines) == 1 {
		r.fail("%s:2:1: the table has no rows", file)
	}
	seen := map[string]int{}
	for i, line := range lines[1:] {
		number, cells := i+2, strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		if !utf8.ValidString(line) {
			r.fail("%s:%d:1: the line is not UTF-8", file, number)
			continue
		}
		if len(cells) != len(columns) {
			r.fail("%s:%d:1: the line has %d columns, not %d: %s", file, number, len(cells), len(columns), columnNames(columns))
			continue
		}
		r.checkCells(file, number, columns, cells)
		key := strings.Join(cells[:keyColumns(name)], "\t")
		if first, twice := seen[key]; twice {
			r.fail("%s:%d:1: %s stands in line %d already", file, number, strings.ReplaceAll(key, "\t", " "), first)
		}
		seen[key] = number
		rows = append(rows, cells)
	}
	return rows
}

// checkCells names the place of a cell by the characters before it, as editors do.
func (r *tableReader) checkCells(file string, line int, columns []column, cells []string) {
	at := 1
	for i, cell := range cells {
		if err := columns[i].wrong(cell); err != nil {
			r.fail("%s:%d:%d: %s %q: %w", file, line, at, columns[i].name, cell, err)
		}
		at += utf8.RuneCountInString(cell) + 1
	}
}

func columnNames(columns []column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, " ")
}

// wholeNumber is a column of numbers in their one spelling.
func wholeNumber(smallest, largest int64) func(string) error {
	return func(cell string) error {
		n, err := strconv.ParseInt(cell, 10, 64)
		if err != nil || n < smallest || n > largest || strconv.FormatInt(n, 10) != cell {
			return fmt.Errorf("write a whole number from %d to %d", smallest, largest)
		}
		return nil
	}
}

func someText(cell string) error {
	if strings.TrimSpace(cell) == "" {
		return errors.New("write a text")
	}
	return nil
}

func currency(cell string) error {
	if len(cell) != 3 || strings.ContainsFunc(cell, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("write the three characters of a currency")
	}
	return nil
}

func day(cell string) error {
	if !wsfev1.Date(cell).Valid() {
		return errors.New("write a day as yyyymmdd")
	}
	return nil
}

func dayOrNull(cell string) error {
	if cell != "NULL" && day(cell) != nil {
		return errors.New("write a day as yyyymmdd, or NULL for an open end")
	}
	return nil
}

func rateFigure(cell string) error {
	if figure, err := wsfev1.ParseAmount(cell); err != nil || figure.Sign() <= 0 || !figure.Exact() {
		return errors.New("write a number above 0 with a point before its decimals")
	}
	return nil
}

func knownClasses(cell string) error {
	for _, class := range classes(cell) {
		if !slices.Contains(conditionClasses, class) {
			return errors.New("write the classes that admit it, of A, ALEY, B, C and 49, with / between them")
		}
	}
	return nil
}

func classes(cell string) (list []wsfev1.Class) {
	for class := range strings.SplitSeq(cell, "/") {
		list = append(list, wsfev1.Class(class))
	}
	return list
}
