package search

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/search/listing"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// row is an exchange in a list. Its texts are those that a reader sees; what records quote is escaped
// and bounded.
type row struct {
	// Address is the address of its page, Record the address of its record.
	Address string `json:"address"`
	// Anchor is where the row is in its page.
	Anchor   string `json:"anchor"`
	Record   string `json:"record"`
	When     string `json:"when"`
	Machine  string `json:"machine"`
	Voucher  string `json:"voucher"`
	Issuer   string `json:"issuer"`
	Receiver string `json:"receiver"`
	Total    string `json:"total"`
	Outcome  string `json:"outcome"`
	Class    string `json:"class"`
	Code     string `json:"code"`
	Codes    string `json:"codes"`

	record *audit.Record
	detail detail
	// codes are all of the record, and operation is its own.
	codes     []string
	operation string
}

const (
	// maxText bounds a text of a row, in characters; the page of the exchange has all of it.
	maxText = 120
	// maxCodes is how many codes a row has.
	maxCodes = 6
)

// shown returns a text as a row has it.
func shown(text string) string {
	if len(text) > 4*maxText {
		text = strings.ToValidUTF8(text[:4*maxText], "")
	}
	if runes := []rune(text); len(runes) > maxText {
		text = string(runes[:maxText]) + "…"
	}
	return printable.OneLine(text)
}

// rowOf returns a record as a row. The request of an outcome stands in its intent, and with it the total
// and the receiver.
func rowOf(ctx context.Context, frame *site.Frame, f listing.Found) (row, error) {
	if listing.Unreadable(f.Record) {
		return unreadableRow(frame, f), nil
	}
	record, err := listing.Whole(ctx, f)
	if err != nil {
		return row{}, err
	}
	var m *mask.Mask
	if frame.Masks {
		m = mask.Of(record.Cuit, record)
	}
	codes := record.Codes()
	for i := range codes {
		codes[i] = m.Text(codes[i])
	}
	few := codes
	if len(codes) > maxCodes {
		few = slices.Concat(codes[:maxCodes], []string{"…"})
	}
	address := frame.AddressOf(f.Source.Key(record.Log), record.Index)
	r := row{
		Address: address, Anchor: site.AnchorOf(address), Record: shown(record.Address()),
		When: frame.Moment(record.Time), Machine: record.Time.UTC().Format(time.RFC3339Nano),
		Voucher: shown(site.MaskedVouchersOf(record, m)), Issuer: story.IssuerOf(record),
		Outcome: shown(frame.Voice().Outcome(f.Record)), Class: story.ClassOf(f.Record), Code: shown(m.Code(story.FirstCode(record))), Codes: shown(strings.Join(few, " ")),
		record: record, detail: detailOf(record), codes: codes, operation: m.Text(record.Operation),
	}
	r.detail.currency = m.Text(r.detail.currency)
	r.Total = r.detail.totalIn(frame)
	if f.Presence == audit.Unread {
		r.Outcome, r.Class = r.Outcome+" · "+frame.T("row.damaged"), story.Bad
	}
	if record.Decision == audit.DecisionAsk {
		r.Voucher += " · " + frame.T("row.ask")
	}
	if r.Voucher == "" {
		r.Voucher = frame.T("row." + record.Kind.String())
	}
	if r.Code != "" {
		r.Outcome += notValid(frame, environment.Of(record))
	}
	switch {
	case r.detail.receiver == "":
	case frame.Masks:
		r.Receiver = frame.T("masked")
	default:
		r.Receiver = shown(r.detail.receiver)
	}
	return r, nil
}

// unreadableRow is the row of records that cannot be read.
func unreadableRow(frame *site.Frame, f listing.Found) row {
	address := frame.AddressOf(f.Source.Key(f.Log), f.Index)
	r := row{
		Address: address, Anchor: site.AnchorOf(address), Record: shown(f.Address()), Voucher: frame.T("row.unreadable"),
		Outcome: frame.T("row.damaged"), Class: story.Bad, record: f.Record,
	}
	if f.Intent < f.Index {
		r.Record = shown(audit.Address(f.Log, f.Intent)) + " – " + strconv.FormatUint(f.Index, 10)
	}
	return r
}

// notValid says that what a service issues is not valid for the tax authority, empty where it is, or nobody knows.
func notValid(frame *site.Frame, of environment.Environment) string {
	switch of {
	case environment.BuiltIn:
		return " · " + frame.T("row.built_in")
	case environment.Testing:
		return " · " + frame.T("series.testing")
	}
	return ""
}
