package tryit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/documents"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/spreadsheet"
	"github.com/fielato/fielato/validate"
)

const (
	// maxRows is how many requests of a file are judged at a time. The script sends more of them one part after
	// the other.
	maxRows = 500
	// maxRowFindings is how many findings of a request stand in its row.
	maxRowFindings = 5
)

// table has what was found out about the requests of a file.
type table struct {
	Rows []row
	// Head is the first line of the file to download.
	Head string
	// Clean, Observed and Bad count the rows; Summary says it in words.
	Clean, Observed, Bad int
	Summary              string
	// Cut: the file has more requests than were judged.
	Cut bool
	// Problem is why nothing was judged.
	Problem string
}

// row is one request. CSV is its line in the file to download.
type row struct {
	Line                                        int
	Voucher, Issuer, Class, Result, Codes, Text string
	CSV                                         string
}

// judgeLines judges a part of a file: its lines, or a sheet's row of names and some of its rows. The address
// has the number of the first line.
func (t *tryPage) judgeLines(r *http.Request, f *form) (any, error) {
	p, err := t.newShown(r, f.choice)
	if err != nil {
		return nil, err
	}
	first, err := strconv.Atoi(r.URL.Query().Get("first"))
	if err != nil || first < 1 || first > 1<<30 {
		return nil, fmt.Errorf("%w: first is no line", site.ErrBadRequest)
	}
	kind := kindLines
	if r.URL.Query().Get("kind") == string(kindSheet) {
		kind = kindSheet
	}
	return t.table(r, p, kind, f.document, first)
}

// table judges the requests of a text. first is the number of the first line that is judged.
func (t *tryPage) table(r *http.Request, p *shown, kind kind, text []byte, first int) (*table, error) {
	j, err := t.newJudge(p)
	if err != nil {
		return nil, err
	}
	made := &table{Head: csvLine(p.T("line"), p.T("voucher"), p.T("issuer"), p.T("try.result"), p.T("codes"), p.T("said"))}
	next := documentsOf(text, first)
	if kind == kindSheet {
		if next, err = rowsOf(j, text, first); err != nil {
			broken, _ := errors.AsType[*sheetError](err)
			made.Problem = p.explain(broken)
			return made, nil
		}
	}
	leave, err := t.enter(r)
	if err != nil {
		return nil, err
	}
	defer leave()
	for r.Context().Err() == nil {
		doc, at, err := next()
		broken, isBroken := errors.AsType[*sheetError](err)
		switch {
		case errors.Is(err, io.EOF):
			made.Summary = fmt.Sprintf(p.T("try.summary"), len(made.Rows), made.Clean, made.Observed, made.Bad)
			return made, nil
		case len(made.Rows) == maxRows:
			made.Cut = true
			made.Summary = fmt.Sprintf(p.T("try.summary"), len(made.Rows), made.Clean, made.Observed, made.Bad)
			return made, nil
		case isBroken:
			made.add(row{Line: at, Class: "bad", Result: p.T("row.unread"), Text: p.explain(broken)})
		case err != nil:
			return nil, err
		default:
			made.add(p.rowOf(j.Document(doc), at))
		}
	}
	return nil, r.Context().Err()
}

// explain says in words why a sheet, or a row of it, cannot be read.
func (p *shown) explain(e *sheetError) string {
	text := p.T(e.key)
	if e.about != "" {
		text += ": " + e.about
	}
	return text
}

// documentsOf returns what reads a file with a request a line.
func documentsOf(text []byte, first int) func() (documents.Document, int, error) {
	reader := documents.NewReader(bytes.NewReader(text), maxDocument)
	return func() (documents.Document, int, error) {
		doc, err := reader.Next()
		return doc, doc.Line + first - 1, err
	}
}

// rowsOf returns what reads a sheet. Its requests are of the operation that its columns show.
func rowsOf(j *documents.Judge, text []byte, first int) (func() (documents.Document, int, error), error) {
	s, err := newSheet(text)
	if err != nil {
		return nil, err
	}
	j.Operation = s.operation()
	if first == 1 {
		first = 2 // the names stand on the first line
	}
	return func() (documents.Document, int, error) {
		request, at, err := s.next()
		return documents.Whole(request), at + first - 2, err
	}, nil
}

// rowOf puts a result into a row.
func (p *shown) rowOf(result *documents.Result, at int) row {
	made := row{Line: at}
	made.Class, _ = p.headingOf(result)
	if made.Result = p.T("row." + made.Class); result.Unreadable {
		made.Result = p.T("row.unread")
	}
	subject := result.Subject()
	if subject.CbteTipo != 0 && len(subject.Invoices) > 0 {
		first, last := subject.Invoices[0], subject.Invoices[len(subject.Invoices)-1]
		made.Voucher = spanish.Voucher(subject.CbteTipo)
		if subject.PtoVta > 0 && first.CbteDesde > 0 && last.CbteHasta > 0 { // 0 stands for a number that could not be read
			made.Voucher += " " + spanish.Numbers(subject.PtoVta, first.CbteDesde, last.CbteHasta)
		}
	} else {
		made.Voucher = result.Operation
	}
	if subject.Cuit != 0 {
		made.Issuer = spanish.CUIT(subject.Cuit)
	}
	var codes, texts []string
	for i, f := range result.Findings {
		if i == maxRowFindings {
			texts = append(texts, fmt.Sprintf(p.T("try.more"), len(result.Findings)-i))
			break
		}
		codes, texts = append(codes, line(f.Code)), append(texts, textOf(f))
	}
	made.Codes, made.Text = strings.Join(codes, " "), strings.Join(texts, " · ")
	return made
}

// textOf returns the text of a finding with the name of its member.
func textOf(f validate.Finding) string {
	text := line(f.Explanation())
	if at := strings.LastIndexByte(f.Pointer, '/'); at >= 0 {
		text += " (" + line(f.Pointer[at+1:]) + ")"
	}
	return text
}

// add adds a row and counts it.
func (t *table) add(r row) {
	switch r.Class {
	case "good":
		t.Clean++
	case "open":
		t.Observed++
	default:
		t.Bad++
	}
	r.CSV = csvLine(strconv.Itoa(r.Line), r.Voucher, r.Issuer, r.Result, r.Codes, r.Text)
	t.Rows = append(t.Rows, r)
}

// csvLine writes a line of the file to download, in which no cell is a formula. The browser puts a long file together from
// such lines.
func csvLine(cells ...string) string {
	for i := range cells {
		cells[i] = spreadsheet.Text(cells[i])
	}
	var line strings.Builder
	table := spreadsheet.Resume(&line)
	_ = table.Write(cells...) // into memory
	_ = table.Flush()
	return line.String()
}

// download sends the table as a file.
func (t *table) download(w http.ResponseWriter) error {
	var text strings.Builder
	text.WriteString(spreadsheet.Mark + t.Head)
	for _, r := range t.Rows {
		text.WriteString(r.CSV)
	}
	serveFile(w, "hallazgos.csv", text.String())
	return nil
}

func serveFile(w http.ResponseWriter, name, text string) {
	header := w.Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	header.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = io.WriteString(w, text) // a reader who has left gets nothing
}

// serveTemplate sends a sheet to begin with: the columns that most invoices need, and one invoice.
func serveTemplate(w http.ResponseWriter, _ *http.Request) error {
	serveFile(w, "comprobantes.csv", spreadsheet.Mark+template)
	return nil
}

const template = "Cuit;PtoVta;CbteTipo;Concepto;DocTipo;DocNro;CbteDesde;CbteHasta;CbteFch;ImpTotal;ImpTotConc;ImpNeto;ImpOpEx;ImpTrib;ImpIVA;MonId;MonCotiz;CondicionIVAReceptorId;Iva21Base;Iva21Importe;Iva10.5Base;Iva10.5Importe\n" +
	"20111111112;1;6;1;99;0;1;1;;231,50;0;200;0;0;31,50;PES;1;5;100;21;100;10,50\n"
