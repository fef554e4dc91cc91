package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

// evidenceExchange is an exchange with its records.
type evidenceExchange struct {
	// record is the outcome, the exchange's one record, or an intent without outcome.
	record *audit.Record
	intent *audit.Record // only of an outcome
	// request and answer are indented; nil if none is kept.
	request, answer []byte
}

// requestRecord returns the record that holds the request.
func (x *evidenceExchange) requestRecord() *audit.Record {
	if x.intent != nil {
		return x.intent
	}
	return x.record
}

// clientRequest returns the request as its client sent it, where that is another form than JSON.
func (x *evidenceExchange) clientRequest() []byte {
	if l := x.requestRecord().Client; l != nil {
		return l.Request
	}
	return nil
}

// clientAnswer returns the answer as the client got it, where that is another form than JSON.
func (x *evidenceExchange) clientAnswer() []byte {
	if l := x.record.Client; l != nil {
		return l.Answer
	}
	return nil
}

// serviceRequest returns the request as the service got it in SOAP, where that is not the client's own
// message.
func (x *evidenceExchange) serviceRequest() []byte {
	if l := x.record.Service; l != nil && l.Form != audit.FormJSON {
		return l.Request
	}
	return nil
}

// completedRequest returns the request as the service got it in JSON, where the gateway has completed it.
func (x *evidenceExchange) completedRequest() []byte {
	if l := x.record.Service; l != nil && l.Form == audit.FormJSON {
		return l.Request
	}
	return nil
}

// serviceAnswer returns the answer as the service gave it, if the client got another one.
func (x *evidenceExchange) serviceAnswer() []byte {
	if l := x.record.Service; l != nil {
		return l.Answer
	}
	return nil
}

// The files with the bytes of the legs, as they are in the record.
const (
	clientRequestFile  = "client-request.xml"
	clientAnswerFile   = "client-answer.xml"
	serviceRequestFile = "service-request.xml"
	serviceAnswerFile  = "service-answer.xml"
	completedFile      = "service-request.json"
)

// evidenceParts are the files of each exchange. make returns the content; nil if the exchange
// has no such file.
var evidenceParts = []struct {
	name string
	make func(context.Context, *evidenceBundle, *evidenceExchange) ([]byte, error)
}{
	{"request.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) { return x.request, nil }},
	{"answer.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) { return x.answer, nil }},
	{clientRequestFile, func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return x.clientRequest(), nil
	}},
	{clientAnswerFile, func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return x.clientAnswer(), nil
	}},
	{serviceRequestFile, func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return x.serviceRequest(), nil
	}},
	{completedFile, func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return x.completedRequest(), nil
	}},
	{serviceAnswerFile, func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return x.serviceAnswer(), nil
	}},
	{"record.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return printedIndented(x.record)
	}},
	{"intent.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		if x.intent == nil {
			return nil, nil
		}
		return printedIndented(x.intent)
	}},
	{recordProof, func(ctx context.Context, b *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return b.proof(ctx, x.record)
	}},
	{intentProof, func(ctx context.Context, b *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return b.proof(ctx, x.intent)
	}},
}

// proof returns the proof that a record is in its log; nil without a record, or without the
// key of the log.
func (b *evidenceBundle) proof(ctx context.Context, r *audit.Record) ([]byte, error) {
	if r == nil {
		return nil, nil
	}
	i := slices.IndexFunc(b.logs, func(l evidenceLog) bool { return l.Log == r.Log && l.Key != "" })
	if i < 0 {
		return nil, nil
	}
	proof, _, err := Proven(ctx, b.store, r.Log, b.logs[i].Key, r.Index)
	if err != nil {
		return nil, err
	}
	return proof.Marshal(), nil
}

func (b *evidenceBundle) read(ctx context.Context, at recordPlace) (x *evidenceExchange, err error) {
	x = new(evidenceExchange)
	if x.record, err = b.store.Get(ctx, at.log, at.index); err != nil {
		return nil, fmt.Errorf("reading record %d of log %s: %w", at.index, at.log, err)
	}
	if x.record.Kind == audit.KindOutcome {
		if x.intent, err = IntentOf(ctx, b.store, x.record); err != nil {
			return nil, err
		}
	}
	if x.request, err = indented(x.requestRecord().Request); err != nil {
		return nil, fmt.Errorf("request of record %d: %w", x.requestRecord().Index, err)
	}
	if x.answer, err = indented(x.record.Answer); err != nil {
		return nil, fmt.Errorf("answer of record %d: %w", at.index, err)
	}
	return x, nil
}

func indented(body jsontext.Value) ([]byte, error) {
	if len(body) == 0 {
		return nil, nil
	}
	body = body.Clone()
	if err := body.Indent(jsontext.WithIndent("  ")); err != nil {
		return nil, fmt.Errorf("indenting a body: %w", err)
	}
	return append(body, '\n'), nil
}

// printedIndented formats a record without its bodies, which have files of their own.
func printedIndented(r *audit.Record) ([]byte, error) {
	p := printable.RecordOf(r)
	p.Request, p.Answer = nil, nil
	p.Client.DropBodies()
	p.Service.DropBodies()
	text, err := json.Marshal(p, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("printing record %d: %w", r.Index, err)
	}
	return append(text, '\n'), nil
}
