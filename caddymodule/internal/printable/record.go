package printable

import (
	"encoding/hex"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Record is a record as a JSON object, with the record's own names.
type Record struct {
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
	Vouchers       []Voucher         `json:"vouchers,omitempty"`
	Resultado      string            `json:"resultado,omitzero"`
	Decision       audit.Decision    `json:"decision"`
	Outcome        audit.Outcome     `json:"outcome,omitzero"`
	Certainty      string            `json:"certainty"`
	Findings       []Finding         `json:"findings,omitempty"`
	Codes          []string          `json:"codes,omitempty"` // of findings and of the answer
	Status         int               `json:"status,omitzero"`
	Upstream       string            `json:"upstream,omitzero"`
	Purge          *audit.PurgeScope `json:"purge,omitzero"` // of an access
	TraceID        string            `json:"trace_id,omitzero"`
	Origin         string            `json:"origin,omitzero"`
	Cause          audit.Cause       `json:"cause,omitzero"`
	ClientTable    string            `json:"client_table,omitzero"`
	ClientRow      string            `json:"client_row,omitzero"`
	Certificate    string            `json:"certificate,omitzero"`
	Way            audit.Way         `json:"way,omitzero"`
	Environment    audit.Environment `json:"environment,omitzero"`
	ClientRowText  string            `json:"client_row_text,omitzero"` // by show only
	Clients        string            `json:"clients,omitzero"`         // of an access, the table of clients that it began with
	Content        string            `json:"content,omitzero"`         // purged or sealed
	Detail         string            `json:"detail,omitzero"`
	RequestSHA256  string            `json:"request_sha256,omitzero"`
	RequestLength  int64             `json:"request_length"`
	Request        jsontext.Value    `json:"request,omitempty"`
	AnswerSHA256   string            `json:"answer_sha256,omitzero"`
	AnswerLength   int64             `json:"answer_length"`
	Answer         jsontext.Value    `json:"answer,omitempty"`
	QRs            []QR              `json:"qr,omitempty"`        // by show only
	Client         *Leg              `json:"client,omitzero"`     // where its form is not JSON
	Service        *Leg              `json:"service,omitzero"`    // so with the service
	Other          *Record           `json:"other_half,omitzero"` // by show only
	Settlement     *Record           `json:"settlement,omitzero"` // of what was unknown first
}

// Voucher is a voucher of a Record.
type Voucher struct {
	CbteDesde int64  `json:"cbte_desde,omitzero"`
	CbteHasta int64  `json:"cbte_hasta,omitzero"`
	Code      string `json:"code,omitzero"`
	Expires   string `json:"expires,omitzero"`
	Resultado string `json:"resultado,omitzero"`
}

// QR is the text of the QR code of an invoice.
type QR struct {
	CbteNro int64  `json:"cbte_nro"`
	Address string `json:"address"`
}

// Finding is a finding of a Record.
type Finding struct {
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

// Leg is a leg as JSON. Its bodies are texts of XML in UTF-8.
type Leg struct {
	Form          string `json:"form"`
	MediaType     string `json:"media_type,omitzero"` // of the request, with its charset
	RequestSHA256 string `json:"request_sha256,omitzero"`
	RequestLength int64  `json:"request_length"`
	Request       string `json:"request,omitzero"`
	AnswerSHA256  string `json:"answer_sha256,omitzero"`
	AnswerLength  int64  `json:"answer_length"`
	Answer        string `json:"answer,omitzero"`
}

func legOf(l *audit.Leg) *Leg {
	if l == nil {
		return nil
	}
	return &Leg{
		Form: l.Form, MediaType: l.RequestMediaType(),
		RequestSHA256: Digest(l.RequestDigest), RequestLength: l.RequestLength, Request: UTF8(l.Request, l.Charset()),
		AnswerSHA256: Digest(l.AnswerDigest), AnswerLength: l.AnswerLength, Answer: UTF8(l.Answer, ""),
	}
}

// DropBodies removes the bodies of a leg, if there is one.
func (l *Leg) DropBodies() {
	if l != nil {
		l.Request, l.Answer = "", ""
	}
}

// TakeRequest moves the request from the leg of an intent to the leg of its outcome.
func (l *Leg) TakeRequest(from *Leg) {
	if l != nil && from != nil {
		l.Request, from.Request = from.Request, ""
	}
}

// RecordOf returns a record as a JSON object, with its bodies.
func RecordOf(r *audit.Record) Record {
	who, way := r.ClientIdentity, r.Way
	if r.Kind == audit.KindAccess {
		if who, way = r.Reader(); way == audit.WayCommand {
			way = r.Way // an earlier record does not say it
		}
	}
	p := Record{
		Log: r.Log, Index: r.Index, Kind: r.Kind.String(), ID: r.ID, Time: r.Time.In(wsfev1.Argentina).Format(time.RFC3339Nano),
		DurationMS: float64(r.Duration) / float64(time.Millisecond), Node: r.Node,
		ClientAddress: r.ClientAddress, ClientIdentity: who,
		Operation: r.Operation, Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Resultado: r.Resultado,
		Decision: r.Decision, Outcome: r.Outcome, Certainty: string(r.Certainty), Codes: r.Codes(), Status: r.Status,
		Upstream: r.Upstream, Purge: r.Purge, TraceID: r.TraceID.String(), Origin: r.Origin, Cause: r.Cause, ClientTable: r.ClientTable, ClientRow: r.ClientRow, Certificate: r.Certificate, Way: way, Environment: r.Environment, Detail: r.Detail,
		RequestSHA256: Digest(r.RequestDigest), RequestLength: r.RequestLength, Request: r.Request,
		AnswerSHA256: Digest(r.AnswerDigest), AnswerLength: r.AnswerLength, Answer: r.Answer,
		Client: legOf(r.Client), Service: legOf(r.Service),
	}
	if r.IsTableOfClients() {
		p.Clients, p.Request = string(r.Request), nil // it is no JSON
	}
	if r.Presence != audit.Present {
		p.Content = r.Presence.String()
	}
	if r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement {
		p.Intent, p.IntentLog = &r.Intent, r.IntentLog
	}
	for _, v := range r.Vouchers {
		p.Vouchers = append(p.Vouchers, Voucher(v))
	}
	for _, f := range r.Findings {
		p.Findings = append(p.Findings, Finding{
			Code: f.Code, Severity: f.Severity, Action: f.Action, Pointer: f.Pointer, Path: PathOf(r, &f), Text: f.Text,
			Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance,
		})
	}
	return p
}

// Digest formats a digest; empty for none.
func Digest(d [32]byte) string {
	if d == ([32]byte{}) {
		return ""
	}
	return hex.EncodeToString(d[:])
}
