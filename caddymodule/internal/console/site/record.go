package site

import (
	"net/url"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// AddressOf returns the address of the exchange of a record in the log with this key (Source.Key).
func (f *Frame) AddressOf(key string, index uint64) string {
	return f.Base + "/exchange/" + url.PathEscape(key) + "/" + strconv.FormatUint(index, 10)
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
