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
	"strconv"
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
	line  int
	code  string
	total wsfev1.Amount
	sums  map[string]wsfev1.Amount // by column: net, vat
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
// 1234.56. The error names the line and the cure.
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
	at := columnsOf(names)
	for _, needed := range []string{"type", "point", "first", "total"} {
		if _, ok := at[needed]; !ok {
			return nil, fmt.Errorf("no column %q: the first line must have the heads, such as Tipo, Punto de Venta, Número Desde and Imp. Total", heads[needed][0])
		}
	}
	b := &Book{entries: map[entryKey]entry{}}
	for line := 2; ; line++ {
		cells, err := table.Read()
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case err == nil && line > maxBook:
			err = fmt.Errorf("it has more than %d lines", maxBook)
		case err == nil:
			err = b.add(at, cells, line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// separator returns what separates the cells of the first line.
func separator(start []byte) rune {
	line, _, _ := bytes.Cut(start, []byte("\n"))
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
func (b *Book) add(at map[string]int, cells []string, line int) error {
	cell := func(column string) string {
		if i, ok := at[column]; ok && i < len(cells) {
			return strings.TrimPrefix(strings.TrimSpace(cells[i]), "'")
		}
		return ""
	}
	if cell("first") == "" && cell("point") == "" {
		return nil
	}
	numbers := map[string]int64{}
	for _, column := range []string{"type", "point", "first", "last"} {
		text := cell(column)
		if column == "last" && text == "" {
			text = cell("first")
		}
		digits, _, _ := strings.Cut(text, " ") // 6 - Factura B
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || column != "first" && column != "last" && n > 1<<31-1 {
			return fmt.Errorf("%s %q is no number", heads[column][0], text)
		}
		numbers[column] = n
	}
	e := entry{line: line, code: cell("code"), sums: map[string]wsfev1.Amount{}}
	for _, column := range []string{"total", "net", "vat"} {
		if cell(column) == "" {
			continue
		}
		a, err := ParseAmount(cell(column))
		if err != nil {
			return fmt.Errorf("%s %q: write an amount such as 1234,56: %w", heads[column][0], cell(column), err)
		}
		if column == "total" {
			e.total = a
		}
		e.sums[column] = a
	}
	key := entryKey{int32(numbers["type"]), int32(numbers["point"]), numbers["first"], cmp.Or(numbers["last"], numbers["first"])}
	if _, twice := b.entries[key]; twice {
		b.Doubled = append(b.Doubled, line)
		return nil
	}
	b.entries[key] = e
	return nil
}

// errAmbiguous: 1.234 may be a thousand and more, or a little more than one.
var errAmbiguous = errors.New("it may mean thousands or decimals")

// ParseAmount reads an amount as people and programs write it: 1234,56, 1.234,56, $ 1.234,56, 1234.56 or
// 1,234.56: what stands last parts the decimals. It refuses 1.234, which may mean two things.
func ParseAmount(text string) (wsfev1.Amount, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(text), "$"), " ", "")
	comma, dot := strings.LastIndexByte(text, ','), strings.LastIndexByte(text, '.')
	switch {
	case comma > dot && strings.Count(text, ",") == 1:
		text = strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1)
	case dot > comma && comma >= 0:
		text = strings.ReplaceAll(text, ",", "")
	case strings.Count(text, ".") > 1:
		text = strings.ReplaceAll(text, ".", "")
	case dot > 0 && len(text)-dot == 4:
		return wsfev1.Amount{}, errAmbiguous
	}
	return wsfev1.ParseAmount(text)
}
