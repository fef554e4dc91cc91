package tryit

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsfev1"
)

// sheet reads invoices from a table, one a row, whose first row names the members.
type sheet struct {
	rows    *csv.Reader
	columns []column
	// reported: the invoices were issued under a CAEA.
	reported bool
}

// sheetError says in the reader's words why a table cannot be read: the key of the words, and what they
// are about.
type sheetError struct{ key, about string }

// Error implements error.
func (e *sheetError) Error() string { return e.key + ": " + e.about }

// maxColumns bounds the columns of a table.
const maxColumns = 200

// newSheet reads the names of the columns.
func newSheet(text []byte) (*sheet, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	first, _, _ := bytes.Cut(text, []byte("\n"))
	s := &sheet{rows: csv.NewReader(bytes.NewReader(text))}
	s.rows.Comma, s.rows.LazyQuotes, s.rows.FieldsPerRecord, s.rows.ReuseRecord = commaOf(first), true, -1, true
	names, err := s.rows.Read()
	if err != nil || len(names) > maxColumns {
		return nil, &sheetError{"sheet.unreadable", ""}
	}
	for i, name := range names {
		c, ok := columnOf(name)
		if !ok {
			about := strconv.Itoa(i + 1) // not its name: that may be anything, a credential too
			if near := nearest.Names(name, columnNames()); len(near) > 0 {
				about += " → " + strings.Join(near, ", ")
			}
			return nil, &sheetError{"sheet.column", about}
		}
		s.columns = append(s.columns, c)
		s.reported = s.reported || c.name == "CAEA"
	}
	for _, needed := range []string{"Cuit", "PtoVta", "CbteTipo"} {
		if !slices.ContainsFunc(s.columns, func(c column) bool { return c.name == needed }) {
			return nil, &sheetError{"sheet.lacks", needed}
		}
	}
	return s, nil
}

// commaOf returns what separates the columns: spreadsheets in Spanish write semicolons.
func commaOf(header []byte) rune {
	for _, comma := range []rune{';', '\t'} {
		if bytes.ContainsRune(header, comma) {
			return comma
		}
	}
	return ','
}

// next returns the request of the next row, and the row's line. The error of a row that cannot be read is a
// sheetError; after the last row it is io.EOF.
func (s *sheet) next() (request []byte, line int, err error) {
	cells, err := s.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	if err != nil {
		if at, ok := errors.AsType[*csv.ParseError](err); ok {
			line = at.StartLine
		}
		return nil, line, &sheetError{"sheet.unreadable", ""}
	}
	line, _ = s.rows.FieldPos(0)
	if len(cells) != len(s.columns) {
		return nil, line, &sheetError{"sheet.cells", fmt.Sprintf("%d / %d", len(cells), len(s.columns))}
	}
	return s.request(cells), line, nil
}

// operation returns the operation of the requests.
func (s *sheet) operation() *wsfev1.Operation {
	if s.reported {
		return wsfev1.OperationByName("FECAEARegInformativo")
	}
	return wsfev1.OperationByName("FECAESolicitar")
}

// request writes a row as a request with one invoice. A cell that should be a number and is none stays a
// text, so that the finding is at its member.
func (s *sheet) request(cells []string) []byte {
	objects := map[group]string{}
	rates, options := map[string]string{}, ""
	for i, cell := range cells {
		c := s.columns[i]
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		member := `,"` + c.member + `":` + valueOf(c, cell)
		switch c.group {
		case inIva:
			rates[c.id] += member
		case inOpcional:
			options += `,{"Id":"` + c.id + `"` + member + `}`
		default:
			objects[c.group] += member
		}
	}
	invoice := objects[inInvoice]
	if len(rates) > 0 {
		invoice += `,"Iva":{"AlicIva":[` + ofRates(rates) + `]}`
	}
	if objects[inTributo] != "" {
		invoice += `,"Tributos":{"Tributo":[{` + objects[inTributo][1:] + `}]}`
	}
	if objects[inCbteAsoc] != "" {
		invoice += `,"CbtesAsoc":{"CbteAsoc":[{` + objects[inCbteAsoc][1:] + `}]}`
	}
	if objects[inPeriodoAsoc] != "" {
		invoice += `,"PeriodoAsoc":{` + objects[inPeriodoAsoc][1:] + `}`
	}
	if options != "" {
		invoice += `,"Opcionales":{"Opcional":[` + options[1:] + `]}`
	}
	names := [3]string{"FeCAEReq", "FeDetReq", "FECAEDetRequest"}
	if s.reported {
		names = [3]string{"FeCAEARegInfReq", "FeDetReq", "FECAEADetRequest"}
	}
	return fmt.Appendf(nil, `{"Auth":{%s},"%s":{"FeCabReq":{"CantReg":1%s},"%s":{"%s":[{%s}]}}}`,
		strings.TrimPrefix(objects[inAuth], ","), names[0], objects[inHeader], names[1], names[2], strings.TrimPrefix(invoice, ","))
}

// ofRates writes the IVA of a row, by ascending id.
func ofRates(rates map[string]string) string {
	var all []string
	for _, c := range columns {
		if members, ok := rates[c.id]; ok && c.group == inIva {
			all = append(all, `{"Id":`+c.id+members+`}`)
			delete(rates, c.id)
		}
	}
	return strings.Join(all, ",")
}

var (
	number    = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?$`)
	withComma = regexp.MustCompile(`^-?\d+,\d+$`)
	otherDay  = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)$|^(\d\d)/(\d\d)/(\d{4})$`)
)

// valueOf writes a cell as the value of its member. It reads decimals behind a comma, and days as a
// spreadsheet writes them.
func valueOf(c column, cell string) string {
	if c.kind == wsfev1.KindText {
		if m := otherDay.FindStringSubmatch(cell); m != nil && strings.Contains(c.member, "Fch") {
			cell = m[1] + m[2] + m[3] + m[6] + m[5] + m[4]
		}
	} else {
		if withComma.MatchString(cell) {
			cell = strings.Replace(cell, ",", ".", 1)
		}
		if number.MatchString(cell) {
			return cell
		}
	}
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(cell, "�"))
	if err != nil {
		return `""`
	}
	return string(quoted)
}
