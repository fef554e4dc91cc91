package closing

import (
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/fielato/fielato/wsfev1"
)

// bookLine is the line of a book that was read last.
type bookLine struct {
	table *csv.Reader
	heads []string
	at    map[string]int
	cells []string
}

// cell returns the text of a column, empty if the line does not have it.
func (l *bookLine) cell(column string) string {
	if i, ok := l.at[column]; ok && i < len(l.cells) {
		return strings.TrimPrefix(strings.TrimSpace(l.cells[i]), "'")
	}
	return ""
}

// number returns the line of the file on which a cell begins: a cell with line breaks takes several, and empty lines
// have none.
func (l *bookLine) number(cell int) int {
	line, _ := l.table.FieldPos(min(cell, len(l.cells)-1))
	return line
}

// wrong says in which line and column something is wrong.
func (l *bookLine) wrong(column string, err error) error {
	i := l.at[column]
	return fmt.Errorf("line %d, column %d (%s), %q: %w", l.number(i), i+1, strings.ToValidUTF8(l.heads[i], "?"), l.cell(column), err)
}

// fits refuses more cells than there are heads: an amount such as 1234,56 without quotes is two cells where commas
// separate, and all behind it stand in other columns.
func (l *bookLine) fits() error {
	for i := len(l.heads); i < len(l.cells); i++ {
		if strings.TrimSpace(l.cells[i]) != "" {
			return fmt.Errorf("line %d, column %d, %q: the first line has %d columns; put cells that have a separator in them between quotation marks",
				l.number(i), i+1, l.cells[i], len(l.heads))
		}
	}
	return nil
}

// integer returns the number in a column. A type may have its name behind the number, as in 6 - Factura B. The last
// number of an invoice may be missing.
func (l *bookLine) integer(column string) (int64, error) {
	text := l.cell(column)
	if column == "last" && text == "" {
		return 0, nil
	}
	bits := 64
	switch column {
	case "type":
		text, _, _ = strings.Cut(text, " ")
		bits = 32
	case "point":
		bits = 32
	}
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil || n < 0 {
		return 0, l.wrong(column, errors.New(`it is no number: write one such as 6; a type may have its name behind it, as in "6 - Factura B"`))
	}
	return n, nil
}

var (
	plainAmount   = regexp.MustCompile(`^\d+([.,]\d+)?$`)
	groupedAmount = regexp.MustCompile(`^\d{1,3}((\.\d{3})+(,\d+)?|(,\d{3})+(\.\d+)?)$`)
	ofTwoMinds    = regexp.MustCompile(`^[1-9]\d{0,2}[.,]\d{3}$`)
)

var (
	errAmbiguous = errors.New("it may mean thousands or decimals")
	errNoAmount  = errors.New("it is none")
)

// ParseAmount reads an amount as people and programs write it: 1234,56, 1.234,56, $ 1.234,56, 1234.56 or
// 1,234.56: what stands last parts the decimals. One below zero has a minus before it, or is between parentheses. It
// refuses 1.234 and 1,234, which may mean two things, and groups of other than three digits.
func ParseAmount(text string) (wsfev1.Amount, error) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
	sign := ""
	if inner, ok := strings.CutPrefix(text, "("); ok && strings.HasSuffix(inner, ")") {
		text, sign = strings.TrimSuffix(inner, ")"), "-"
	}
	text = strings.TrimPrefix(text, "$")
	if digits, ok := strings.CutPrefix(text, "-"); ok && sign == "" {
		text, sign = strings.TrimPrefix(digits, "$"), "-"
	}
	switch {
	case ofTwoMinds.MatchString(text):
		return wsfev1.Amount{}, errAmbiguous
	case groupedAmount.MatchString(text):
		last := strings.LastIndexAny(text, ".,")
		if strings.Count(text, text[last:last+1]) > 1 { // it parts groups, and there are no decimals
			last = len(text)
		}
		text = strings.NewReplacer(".", "", ",", "").Replace(text[:last]) + text[last:]
	case !plainAmount.MatchString(text):
		return wsfev1.Amount{}, errNoAmount
	}
	return wsfev1.ParseAmount(sign + strings.Replace(text, ",", ".", 1))
}
