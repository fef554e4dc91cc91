package closing

import (
	"io"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/spreadsheet"
)

// rates are the rates with columns of their own, by AlicIva.Id.
var rates = []struct {
	id   int32
	name string
}{{3, "0%"}, {9, "2,5%"}, {8, "5%"}, {4, "10,5%"}, {5, "21%"}, {6, "27%"}}

// columns returns the heads of a table of invoices: the columns of the VAT book, and where the evidence is.
func columns() []string {
	heads := []string{
		"Fecha", "Tipo", "Comprobante", "Punto de venta", "Número desde", "Número hasta", "Cód. autorización", "Vencimiento CAE",
		"Tipo doc. receptor", "Nro. doc. receptor", "Tipo cambio", "Moneda",
	}
	for _, rate := range rates {
		heads = append(heads, "Neto "+rate.name, "IVA "+rate.name)
	}
	return append(heads, "Imp. neto gravado", "Imp. neto no gravado", "Imp. op. exentas", "Otros tributos", "IVA", "Imp. total",
		"Comprobantes asociados", "CUIT emisor", "Servicio", "Importes", "Registro")
}

// environmentNames are the services in Spanish.
var environmentNames = map[environment.Environment]string{
	environment.Production: "producción", environment.Testing: "homologación", environment.BuiltIn: "servicio incorporado", environment.Another: "otro",
}

// missingNames are the reasons in Spanish.
var missingNames = map[Missing]string{
	Purged: "depurados", Sealed: "cifrados", Hidden: "no se conservan", Unreadable: "no se pueden leer",
}

// Name returns the reason in Spanish.
func (m Missing) Name() string { return missingNames[m] }

// Table writes invoices for a spreadsheet.
type Table struct{ sheet *spreadsheet.Table }

// NewTable begins a table with its heads.
func NewTable(w io.Writer) (*Table, error) {
	sheet, err := spreadsheet.New(w)
	if err != nil {
		return nil, err
	}
	return &Table{sheet}, sheet.Write(columns()...)
}

// Write adds an invoice.
func (t *Table) Write(i *Invoice) error {
	cells := []string{
		spanish.Day(i.Date), number(i.CbteTipo), spanish.Voucher(i.CbteTipo), number(i.PtoVta), number(i.First), number(i.Last),
		spreadsheet.Text(i.Code), spanish.Day(i.Expires),
	}
	if i.Missing != "" {
		cells = append(cells, make([]string, 4+2*len(rates)+6+1)...)
	} else {
		cells = append(cells, i.cells()...)
	}
	return t.sheet.Write(append(cells, i.Issuer.String(), environmentNames[i.Environment], i.Missing.Name(), i.Record.Address())...)
}

// cells are what an invoice has of its request.
func (i *Invoice) cells() []string {
	cells := []string{number(i.DocTipo), number(i.DocNro), spreadsheet.Amount(i.Rate), spreadsheet.Currency(i.Currency)}
	if i.HiddenReceiver {
		cells[0], cells[1] = "", ""
	}
	for _, rate := range rates {
		of := Rate{}
		for _, one := range i.Rates {
			if one.ID == rate.id {
				of = one
			}
		}
		cells = append(cells, spreadsheet.Amount(of.Base), spreadsheet.Amount(of.VAT))
	}
	var notes []string
	for _, about := range i.Notes {
		notes = append(notes, strconv.Itoa(int(about.CbteTipo))+" "+spanish.Number(about.PtoVta, about.Number))
	}
	return append(cells, spreadsheet.Amount(i.Net), spreadsheet.Amount(i.NotTaxed), spreadsheet.Amount(i.Exempt), spreadsheet.Amount(i.Taxes), spreadsheet.Amount(i.VAT), spreadsheet.Amount(i.Total),
		spreadsheet.Text(strings.Join(notes, ", ")))
}

// Remark adds a line that is no invoice, such as why the table ends before its end.
func (t *Table) Remark(text string) error { return t.sheet.Write(spreadsheet.Text(text)) }

// Flush writes the buffer.
func (t *Table) Flush() error { return t.sheet.Flush() }

func number[N ~int32 | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }
