package export

import "github.com/fielato/fielato/audit"

// AppendLine is appendLine for a record that knows where it stands.
func AppendLine(r *audit.Record, form audit.Form) []byte { return appendLine(nil, r, form) }

// ReadLine reads a line of an export.
func ReadLine(line []byte) (*audit.Record, error) {
	record, _, err := new(lineReader).read(line)
	return record, err
}

// PlainDetails and DecodedDetails return dates, totals and currencies of the invoices in a request.
func PlainDetails(request []byte) (all [][3]string, ok bool) {
	details, ok := plainDetails(request)
	return cellsOf(details), ok
}

func DecodedDetails(request []byte) [][3]string { return cellsOf(decodedDetails(request)) }

func cellsOf(details []invoiceDetail) (all [][3]string) {
	for _, d := range details {
		all = append(all, [3]string{d.date, d.total, d.currency})
	}
	return all
}

func AppendJSONText(dst, text []byte) []byte { return appendJSONText(dst, text) }
