package view

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// JSONPrinter writes one JSON object a line.
type JSONPrinter struct {
	W io.Writer
	// Addresses: each object begins with the record's address.
	Addresses bool
}

func (p JSONPrinter) Row(s Entry) error      { return p.Full(s) }
func (p JSONPrinter) Flush() error           { return nil }
func (p JSONPrinter) WithAddresses() Printer { return JSONPrinter{W: p.W, Addresses: true} }

func (p JSONPrinter) Full(s Entry) error {
	r, other := s.Record, s.Other
	object := Printed(r)
	if p.Addresses {
		object.Record = r.Address()
	}
	if other != nil {
		half := Printed(other)
		if r.Kind == audit.KindOutcome { // the intent holds its request, which is printed once
			object.Request, half.Request = half.Request, nil
			object.Client.takeRequest(half.Client)
		}
		object.Other = &half
	}
	if s.Settlement != nil {
		settlement := Printed(s.Settlement)
		object.Settlement = &settlement
	}
	for _, q := range s.QRs {
		if q.Address != "" {
			object.QRs = append(object.QRs, printedQR{q.CbteDesde, q.Address})
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

// printedRecord is a record as JSON, with the record's own names.
type printedRecord struct {
	Record         string            `json:"record,omitzero"` // where several logs are shown
	Log            string            `json:"log"`
	Index          uint64            `json:"index"`
	Kind           string            `json:"kind"`
	ID             string            `json:"id"`
	Intent         *uint64           `json:"intent,omitzero"`
	IntentLog      string            `json:"intent_log,omitzero"`
	Time           string            `json:"time"`
	DurationMS     float64           `json:"duration_ms"`
	Node           string            `json:"node"`
	ClientAddress  string            `json:"client_address"`
	ClientIdentity string            `json:"client_identity,omitzero"`
	Operation      string            `json:"operation"`
	Cuit           wsfev1.CUIT       `json:"cuit,omitzero"`
	PtoVta         int32             `json:"pto_vta,omitzero"`
	CbteTipo       int32             `json:"cbte_tipo,omitzero"`
	Vouchers       []printedVoucher  `json:"vouchers,omitempty"`
	Resultado      string            `json:"resultado,omitzero"`
	Decision       audit.Decision    `json:"decision"`
	Outcome        audit.Outcome     `json:"outcome,omitzero"`
	Certainty      string            `json:"certainty"`
	Findings       []printedFinding  `json:"findings,omitempty"`
	Codes          []string          `json:"codes,omitempty"` // of findings and of the answer
	Status         int               `json:"status,omitzero"`
	Upstream       string            `json:"upstream,omitzero"`
	Purge          *audit.PurgeScope `json:"purge,omitzero"` // of an access
	TraceID        string            `json:"trace_id,omitzero"`
	Origin         string            `json:"origin,omitzero"`
	Cause          audit.Cause       `json:"cause,omitzero"`
	Content        string            `json:"content,omitzero"` // purged or sealed
	Detail         string            `json:"detail,omitzero"`
	RequestSHA256  string            `json:"request_sha256,omitzero"`
	RequestLength  int64             `json:"request_length"`
	Request        jsontext.Value    `json:"request,omitempty"`
	AnswerSHA256   string            `json:"answer_sha256,omitzero"`
	AnswerLength   int64             `json:"answer_length"`
	Answer         jsontext.Value    `json:"answer,omitempty"`
	QRs            []printedQR       `json:"qr,omitempty"`        // by show only
	Client         *printedLeg       `json:"client,omitzero"`     // where its form is not JSON
	Service        *printedLeg       `json:"service,omitzero"`    // so with the service
	Other          *printedRecord    `json:"other_half,omitzero"` // by show only
	Settlement     *printedRecord    `json:"settlement,omitzero"` // of what was unknown first
}

type printedVoucher struct {
	CbteDesde int64  `json:"cbte_desde,omitzero"`
	CbteHasta int64  `json:"cbte_hasta,omitzero"`
	Code      string `json:"code,omitzero"`
	Expires   string `json:"expires,omitzero"`
	Resultado string `json:"resultado,omitzero"`
}

// printedQR is the text of the QR code of an invoice.
type printedQR struct {
	CbteNro int64  `json:"cbte_nro"`
	Address string `json:"address"`
}

type printedFinding struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Action     string `json:"action"`
	Pointer    string `json:"pointer"`
	Path       string `json:"path,omitzero"` // in the XML of a client that speaks SOAP
	Text       string `json:"text"`
	Expected   string `json:"expected,omitzero"`
	Got        string `json:"got,omitzero"`
	Difference string `json:"difference,omitzero"`
	Tolerance  string `json:"tolerance,omitzero"`
}

// printedLeg is a leg as JSON. Its bodies are texts of XML in UTF-8.
type printedLeg struct {
	Form          string `json:"form"`
	MediaType     string `json:"media_type,omitzero"` // of the request, with its charset
	RequestSHA256 string `json:"request_sha256,omitzero"`
	RequestLength int64  `json:"request_length"`
	Request       string `json:"request,omitzero"`
	AnswerSHA256  string `json:"answer_sha256,omitzero"`
	AnswerLength  int64  `json:"answer_length"`
	Answer        string `json:"answer,omitzero"`
}

func printedLegOf(l *audit.Leg) *printedLeg {
	if l == nil {
		return nil
	}
	return &printedLeg{
		Form: l.Form, MediaType: l.RequestMediaType(),
		RequestSHA256: Digest(l.RequestDigest), RequestLength: l.RequestLength, Request: inUTF8(l.Request, l.Charset()),
		AnswerSHA256: Digest(l.AnswerDigest), AnswerLength: l.AnswerLength, Answer: inUTF8(l.Answer, ""),
	}
}

// DropBodies removes the bodies of a leg, if there is one.
func (l *printedLeg) DropBodies() {
	if l != nil {
		l.Request, l.Answer = "", ""
	}
}

// takeRequest moves the request from the leg of an intent to the leg of its outcome.
func (l *printedLeg) takeRequest(from *printedLeg) {
	if l != nil && from != nil {
		l.Request, from.Request = from.Request, ""
	}
}

// inUTF8 returns a message as text. charset comes from its media type, empty for none.
func inUTF8(message []byte, charset string) string {
	if text, _, err := xmlscan.Decode(message, charset); err == nil {
		message = text
	}
	return strings.ToValidUTF8(string(message), "\uFFFD")
}

func Printed(r *audit.Record) printedRecord {
	p := printedRecord{
		Log: r.Log, Index: r.Index, Kind: r.Kind.String(), ID: r.ID, Time: r.Time.In(wsfev1.Argentina).Format(time.RFC3339Nano),
		DurationMS: float64(r.Duration) / float64(time.Millisecond), Node: r.Node,
		ClientAddress: r.ClientAddress, ClientIdentity: r.ClientIdentity,
		Operation: r.Operation, Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Resultado: r.Resultado,
		Decision: r.Decision, Outcome: r.Outcome, Certainty: string(r.Certainty), Codes: r.Codes(), Status: r.Status,
		Upstream: r.Upstream, Purge: r.Purge, TraceID: r.TraceID.String(), Origin: r.Origin, Cause: r.Cause, Detail: r.Detail,
		RequestSHA256: Digest(r.RequestDigest), RequestLength: r.RequestLength, Request: r.Request,
		AnswerSHA256: Digest(r.AnswerDigest), AnswerLength: r.AnswerLength, Answer: r.Answer,
		Client: printedLegOf(r.Client), Service: printedLegOf(r.Service),
	}
	if r.Presence != audit.Present {
		p.Content = r.Presence.String()
	}
	if r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement {
		p.Intent, p.IntentLog = &r.Intent, r.IntentLog
	}
	for _, v := range r.Vouchers {
		p.Vouchers = append(p.Vouchers, printedVoucher(v))
	}
	for _, f := range r.Findings {
		p.Findings = append(p.Findings, printedFinding{
			Code: f.Code, Severity: f.Severity, Action: f.Action, Pointer: f.Pointer, Path: PathOf(r, &f), Text: f.Text,
			Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance,
		})
	}
	return p
}

func Digest(d [32]byte) string {
	if d == ([32]byte{}) {
		return ""
	}
	return hex.EncodeToString(d[:])
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
