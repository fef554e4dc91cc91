package closing

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/fielato/fielato/wsfev1"
)

// maxBook bounds the lines of a book.
const maxBook = 10_000_000

// entryKey names an invoice within the books of an issuer.
type entryKey struct {
	cbteTipo, ptoVta int32
	first, last      int64
}

// entry is an invoice as a book has it.
type entry struct {
	line int
	code string
	sums map[string]wsfev1.Amount // by column: total, net, vat
}

// hasTotal reports whether the book has an amount of the invoice.
func (e *entry) hasTotal() bool {
	_, ok := e.sums["total"]
	return ok
}

// Book is a table of invoices that another program has made, such as ARCA's "Mis Comprobantes".
type Book struct {
	entries map[entryKey]entry
	// Doubled are the lines whose invoice an earlier line has.
	Doubled []int
}

// heads are the columns by their names, without case, accents and anything but letters and digits. Those of
// ARCA's "Mis Comprobantes", old and new, the VAT book's and this program's own are among them.
var heads = map[string][]string{
	"type":  {"tipo", "tipodecomprobante", "tipocomprobante", "tipocbte", "cbtetipo"},
	"point": {"puntodeventa", "ptovta", "ptoventa", "pv"},
	"first": {"numerodesde", "numero", "nro", "numerodecomprobante", "nrodesde", "cbtedesde", "numerocomprobante"},
	"last":  {"numerohasta", "nrohasta", "cbtehasta"},
	"code":  {"codautorizacion", "codigodeautorizacion", "cae", "nrocae"},
	"total": {"imptotal", "importetotal", "total", "importetotaldelaoperacion"},
	"net":   {"impnetogravado", "netogravado", "impnetogravadototal", "netogravadototal"},
	"vat":   {"iva", "totaliva", "impiva", "importeiva"},
}

// ReadBook reads a table with heads: separated by semicolons, commas or tabs, with amounts as 1.234,56 or
// 1234.56. The error names line, column and cure.
func ReadBook(r io.Reader) (*Book, error) {
	text := bufio.NewReader(r)
	start, _ := text.Peek(4096)
	if bytes.HasPrefix(start, []byte("\ufeff")) {
		_, _ = text.Discard(3)
		start = start[3:]
	}
	table := csv.NewReader(text)
	table.Comma, table.FieldsPerRecord, table.ReuseRecord, table.LazyQuotes = separator(start), -1, true, true
	names, err := table.Read()
	if err != nil {
		return nil, fmt.Errorf("its first line: %w", err)
	}
	l := &bookLine{table: table, heads: slices.Clone(names), at: columnsOf(names)}
	for _, needed := range []string{"type", "point", "first", "total"} {
		if _, ok := l.at[needed]; !ok {
			return nil, fmt.Errorf("no column %q: the first line must have the heads, such as Tipo, Punto de Venta, Número Desde and Imp. Total", heads[needed][0])
		}
	}
	b := &Book{entries: map[entryKey]entry{}}
	for lines := 2; ; lines++ {
		l.cells, err = table.Read()
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case err == nil && lines > maxBook:
			err = fmt.Errorf("it has more than %d lines", maxBook)
		case err == nil:
			err = b.add(l)
		}
		if err != nil {
			return nil, err
		}
	}
}

// separator returns what separates the cells of the first line that has any.
func separator(start []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	return slices.MaxFunc([]rune{',', ';', '\t'}, func(a, b rune) int {
		return cmp.Compare(bytes.Count(line, []byte(string(a))), bytes.Count(line, []byte(string(b))))
	})
}

// columnsOf returns where the known columns are.
func columnsOf(names []string) map[string]int {
	at := map[string]int{}
	for i, name := range names {
		plain := plainHead(name)
		for column, known := range heads {
			if _, taken := at[column]; !taken && slices.Contains(known, plain) {
				at[column] = i
			}
		}
	}
	return at
}

// plainHead returns a head without case, accents and anything but letters and digits.
func plainHead(text string) string {
	if !utf8.ValidString(text) { // older exports are in ISO 8859-1
		runes := make([]rune, len(text))
		for i := range len(text) {
			runes[i] = rune(text[i])
		}
		text = string(runes)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFD.String(text))
}

// add adds a line. One without a number, such as a sum at the end, is left out.
func (b *Book) add(l *bookLine) error {
	if l.cell("first") == "" && l.cell("point") == "" && l.cell("code") == "" {
		return nil
	}
	if err := l.fits(); err != nil {
		return err
	}
	e := entry{line: l.number(0), code: l.cell("code"), sums: map[string]wsfev1.Amount{}}
	numbers := map[string]int64{}
	for _, column := range []string{"type", "point", "first", "last"} {
		n, err := l.integer(column)
		if err != nil {
			return err
		}
		numbers[column] = n
	}
	for _, column := range []string{"total", "net", "vat"} {
		if l.cell(column) == "" {
			continue
		}
		a, err := ParseAmount(l.cell(column))
		if err != nil {
			return l.wrong(column, fmt.Errorf("write an amount such as 1234,56: %w", err))
		}
		e.sums[column] = a
	}
	key := entryKey{int32(numbers["type"]), int32(numbers["point"]), numbers["first"], cmp.Or(numbers["last"], numbers["first"])}
	if _, twice := b.entries[key]; twice {
		b.Doubled = append(b.Doubled, e.line)
		return nil
	}
	b.entries[key] = e
	return nil
}
