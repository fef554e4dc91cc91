package binding

import (
	"bytes"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// A message counts in a budget by its bytes, or by the values made of it, if these weigh more. A byte
// of weight stands for coverage bytes of memory: as many take the typed form of an ordinary message,
// the forms in which it is recorded and sent, and its answer.
const (
	coverage = 16
	// invoiceWeight stands for an invoice, of a request or of an answer, that takes next to nothing to
	// write, and itemWeight for an item of any other list; findingWeight for a finding, with its texts
	// in the answer and in the record.
	invoiceWeight = 1536 / coverage
	itemWeight    = 640 / coverage
	findingWeight = 1536 / coverage
	// invoiceFindings is how many findings of the rules an invoice has, or nearly: one with more has
	// members, which are counted too.
	invoiceFindings = 24
)

// weigh returns the weight of a message of so many bytes.
func weigh(size, invoices, items, findings int) int64 {
	made := invoices*invoiceWeight + items*itemWeight + min(findings, validate.MaxFindings)*findingWeight
	return int64(max(size, made))
}

// Weight returns the weight of a request of so many bytes that was read and judged.
func Weight(size int, request *validate.Request, findings int) int64 {
	invoices := 0
	if lot := wsfev1.LotOf(request.Body); lot != nil {
		invoices = lot.Len()
	}
	return weigh(size, invoices, request.Items-invoices, findings)
}

// MostWeight returns what a body may come to weigh, at most, once it is read. It takes no more than
// counting bytes.
func MostWeight(body []byte, isSOAP bool) int64 {
	return mostWeight(body, isSOAP, invoiceFindings)
}

// mostWeight is MostWeight where an invoice can have so many findings besides its members' own. In
// JSON any object may be an invoice, and whatever stands between commas may be wrong; in SOAP an invoice
// has a name, and whatever has a tag may be an item, and wrong.
func mostWeight(body []byte, isSOAP bool, findings int) int64 {
	if isSOAP {
		tags, invoices := bytes.Count(body, []byte{'<'}), invoiceNames(body)
		return weigh(len(body), invoices, tags, tags+invoices*findings)
	}
	objects := bytes.Count(body, []byte{'{'})
	return weigh(len(body), objects, 0, bytes.Count(body, []byte{','})+objects*findings)
}

// The beginning of the names of the lists of invoices, in encodings of one byte and of two.
var invoiceName, wideInvoiceName = []byte("FECAE"), []byte("F\x00E\x00C\x00A\x00E")

// invoiceNames returns how often a message in SOAP may name an invoice.
func invoiceNames(message []byte) int {
	return bytes.Count(message, invoiceName) + bytes.Count(message, wideInvoiceName)
}
