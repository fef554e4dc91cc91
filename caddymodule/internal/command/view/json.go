package view

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// JSONPrinter writes one JSON object a line.
type JSONPrinter struct {
	W io.Writer
	// Addresses: each object begins with the record's address.
	Addresses bool
}

func (p JSONPrinter) Row(s Entry) error      { return p.print(s, false) }
func (p JSONPrinter) Full(s Entry) error     { return p.print(s, true) }
func (p JSONPrinter) Flush() error           { return nil }
func (p JSONPrinter) WithAddresses() Printer { return JSONPrinter{W: p.W, Addresses: true} }

// print writes an exchange, with its other half if it is whole.
func (p JSONPrinter) print(s Entry, whole bool) error {
	r, other := s.At, s.other()
	object := printable.RecordOf(r)
	if p.Addresses {
		object.Record = r.Address()
	}
	if other != nil {
		half := printable.RecordOf(other)
		if r.Kind == audit.KindOutcome { // the intent holds its request, which is printed once
			object.Request, half.Request = half.Request, nil
			object.Client.TakeRequest(half.Client)
		}
		if whole {
			object.Other = &half
		}
	}
	if settled := s.settlement(); settled != nil {
		settlement := printable.RecordOf(settled)
		object.Settlement = &settlement
	}
	object.ClientRowText = s.ClientRow
	for _, q := range s.QRs {
		if q.Address != "" {
			object.QRs = append(object.QRs, printable.QR{CbteNro: q.CbteDesde, Address: q.Address})
		}
	}
	// A request with a duplicate name was refused, and is shown nevertheless.
	line, err := json.Marshal(object, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("printing record %d: %w", r.Index, err)
	}
	_, err = p.W.Write(append(line, '\n'))
	return err
}

// PrintLines writes each item as one JSON object a line. name identifies an item in an error.
func PrintLines[T any](w io.Writer, items []T, name func(T) string) error {
	for _, item := range items {
		line, err := json.Marshal(item, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("printing %s: %w", name(item), err)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
