package site

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// AddressOf returns the address of the exchange of a record in the log with this key (Source.Key).
func (f *Frame) AddressOf(key string, index uint64) string {
	return f.Base + "/exchange/" + url.PathEscape(key) + "/" + strconv.FormatUint(index, 10)
}

// AddressOfOutage returns the address of the outage of a record in the log with this key (Source.Key).
func (f *Frame) AddressOfOutage(key string, index uint64) string {
	return f.Base + "/outages/" + url.PathEscape(key) + "/" + strconv.FormatUint(index, 10)
}

// TryAddress returns the address of the page that opens the request of a record in the log with this key
// (Source.Key), to be corrected and judged.
func (f *Frame) TryAddress(key string, index uint64) string {
	return f.Base + "/try/" + url.PathEscape(key) + "/" + strconv.FormatUint(index, 10)
}

// InvoiceAddress returns the address of the page of an invoice.
func (f *Frame) InvoiceAddress(cuit wsfev1.CUIT, cbteTipo, ptoVta int32, number int64) string {
	return fmt.Sprintf("%s/comprobante/%d/%d/%d/%d", f.Base, int64(cuit), cbteTipo, ptoVta, number)
}

// Moment returns a time as the reader has it, in the authority's zone.
func (f *Frame) Moment(t time.Time) string {
	return f.Voice().Moment(t)
}

// Voice returns the voice that tells about records in the language of the page.
func (f *Frame) Voice() story.Voice { return story.Voice{Lang: story.LangOf(f.Lang)} }

// MaskedVouchersOf names the vouchers of a record, or its operation without the documents that a client has
// put there.
func MaskedVouchersOf(r *audit.Record, m *mask.Mask) string {
	return story.Voice{Hide: m}.Vouchers(r)
}
