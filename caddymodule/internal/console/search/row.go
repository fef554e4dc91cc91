package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// row is an exchange in a list. Its texts are those that a reader sees; what records quote is escaped
// and bounded.
type row struct {
	// Address is the address of its page, Record the address of its record.
	Address  string `json:"address"`
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
func rowOf(ctx context.Context, frame *site.Frame, f found) (row, error) {
	record, err := whole(ctx, f)
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
	r := row{
		Address: frame.AddressOf(f.source.Key(record.Log), record.Index), Record: shown(record.Address()),
		When: frame.Moment(record.Time), Machine: record.Time.UTC().Format(time.RFC3339Nano),
		Voucher: shown(site.MaskedVouchersOf(record, m)), Issuer: story.IssuerOf(record),
		Outcome: shown(frame.Voice().Outcome(f.Record)), Class: story.ClassOf(f.Record), Code: shown(m.Code(story.FirstCode(record))), Codes: shown(strings.Join(few, " ")),
		record: record, detail: detailOf(record), codes: codes, operation: m.Text(record.Operation),
	}
	r.detail.currency = m.Text(r.detail.currency)
	if record.Decision == audit.DecisionAsk {
		r.Voucher += " · " + frame.T("row.ask")
	}
	if r.Voucher == "" {
		r.Voucher = frame.T("row." + record.Kind.String())
	}
	if r.Code != "" && story.IsBuiltIn(record) {
		r.Outcome += " · " + frame.T("row.built_in")
	}
	if r.detail.hasTotal {
		r.Total = spanish.Amount(r.detail.total)
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

// whole returns a record with what its intent has and it has not.
func whole(ctx context.Context, f found) (*audit.Record, error) {
	if f.Kind != audit.KindOutcome && f.Kind != audit.KindSettlement {
		return f.Record, nil
	}
	record := *f.Record
	log := record.IntentLog
	if log == "" {
		log = record.Log
	}
	intent, err := f.source.Store.Get(ctx, log, record.Intent)
	if errors.Is(err, audit.ErrNotFound) {
		return &record, nil // its page says so
	}
	if err != nil {
		return nil, fmt.Errorf("reading the intent of record %d of log %s: %w", record.Index, record.Log, err)
	}
	record.Request = intent.Request
	if record.Cuit == 0 {
		record.Cuit, record.PtoVta, record.CbteTipo, record.Vouchers = intent.Cuit, intent.PtoVta, intent.CbteTipo, intent.Vouchers
	}
	if record.Operation == "" {
		record.Operation = intent.Operation
	}
	return &record, nil
}
