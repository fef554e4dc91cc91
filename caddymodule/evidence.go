package caddymodule

import (
	"context"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// evidenceBundle is everything about one invoice, for a reader who has no gateway.
// It is written exchange by exchange, with no more than one in memory; the names of the
// files alone grow with their number.
type evidenceBundle struct {
	store audit.Store
	query audit.Query
	out   *evidenceOutput
	made  time.Time
	// filesOf are the names of the files of each record.
	filesOf map[uint64][]string
	// verifier is the public key of the log.
	verifier string
}

// evidenceExchange is an exchange with the records that it has.
type evidenceExchange struct {
	// record is the outcome, the exchange's one record, or an intent without outcome.
	record *audit.Record
	intent *audit.Record // of an outcome only
	// request and answer are indented, nil where none is kept.
	request, answer []byte
}

// kept is the record that holds the request.
func (x *evidenceExchange) kept() *audit.Record {
	if x.intent != nil {
		return x.intent
	}
	return x.record
}

// evidenceParts are the files of each exchange: a name, and what makes its content,
// nil for an exchange that has no such file.
var evidenceParts = []struct {
	name string
	make func(context.Context, *evidenceBundle, *evidenceExchange) ([]byte, error)
}{
	{"request.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) { return x.request, nil }},
	{"answer.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) { return x.answer, nil }},
	{"record.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return printedIndented(x.record)
	}},
	{"intent.json", func(_ context.Context, _ *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		if x.intent == nil {
			return nil, nil
		}
		return printedIndented(x.intent)
	}},
	{"record.tlog-proof", func(ctx context.Context, b *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return b.proof(ctx, x.record)
	}},
	{"intent.tlog-proof", func(ctx context.Context, b *evidenceBundle, x *evidenceExchange) ([]byte, error) {
		return b.proof(ctx, x.intent)
	}},
}

// proof returns the proof that a record is in the trail, nil for none: there is none
// without the key of the log.
func (b *evidenceBundle) proof(ctx context.Context, r *audit.Record) ([]byte, error) {
	if r == nil || b.verifier == "" {
		return nil, nil
	}
	proof, _, err := proven(ctx, b.store, r.Log, b.verifier, r.Index)
	if err != nil {
		return nil, err
	}
	return proof.Marshal(), nil
}

// write writes the bundle. The manifest comes last: it tells that all is there.
func (b *evidenceBundle) write(ctx context.Context, indexes []uint64) error {
	b.filesOf = map[uint64][]string{}
	for i, index := range indexes {
		x, err := b.read(ctx, index)
		if err != nil {
			return err
		}
		folder := fmt.Sprintf("exchanges/%03d-record-%d", i+1, index)
		var names []string
		for _, part := range evidenceParts {
			content, err := part.make(ctx, b, x)
			if err != nil {
				return fmt.Errorf("making %s of record %d: %w", part.name, index, err)
			}
			if content == nil {
				continue
			}
			names = append(names, path.Join(folder, part.name))
			if err := b.out.add(path.Join(folder, part.name), content, x.record.Time); err != nil {
				return err
			}
		}
		b.filesOf[index] = names
	}
	page := func(w io.Writer) error { return b.writePage(ctx, w, indexes) }
	if err := b.out.stream("index.html", b.made, page); err != nil {
		return err
	}
	return b.manifest()
}

func (b *evidenceBundle) read(ctx context.Context, index uint64) (x *evidenceExchange, err error) {
	x = new(evidenceExchange)
	if x.record, err = b.store.Get(ctx, b.query.Log, index); err != nil {
		return nil, fmt.Errorf("reading record %d of log %s: %w", index, b.query.Log, err)
	}
	if x.record.Kind == audit.KindOutcome {
		if x.intent, err = intentOf(ctx, b.store, x.record); err != nil {
			return nil, err
		}
	}
	if x.request, err = indented(x.kept().Request); err != nil {
		return nil, fmt.Errorf("request of record %d: %w", x.kept().Index, err)
	}
	if x.answer, err = indented(x.record.Answer); err != nil {
		return nil, fmt.Errorf("answer of record %d: %w", index, err)
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

// printedIndented is a record without its bodies, which have files of their own.
func printedIndented(r *audit.Record) ([]byte, error) {
	p := printed(r)
	p.Request, p.Answer = nil, nil
	text, err := json.Marshal(p, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("printing record %d: %w", r.Index, err)
	}
	return append(text, '\n'), nil
}

// evidenceManifest lists what is in a bundle, but for itself.
type evidenceManifest struct {
	Format   string         `json:"format"`
	Made     string         `json:"made"`
	Log      string         `json:"log"`
	Key      string         `json:"public_key"` // of the log, by which the proofs are checked
	Cuit     wsfev1.CUIT    `json:"cuit"`
	PtoVta   int32          `json:"pto_vta"`
	CbteTipo int32          `json:"cbte_tipo"`
	Nro      int64          `json:"nro"`
	Files    []evidenceFile `json:"files"`
}

func (b *evidenceBundle) manifest() error {
	text, err := json.Marshal(evidenceManifest{
		Format: "fielato-evidence/1", Made: b.made.In(wsfev1.Argentina).Format(time.RFC3339), Log: b.query.Log, Key: b.verifier,
		Cuit: b.query.Cuit, PtoVta: b.query.PtoVta, CbteTipo: b.query.CbteTipo, Nro: b.query.Number,
		Files: b.out.files,
	}, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	return b.out.add("manifest.json", append(text, '\n'), b.made)
}
