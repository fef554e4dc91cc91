package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
	"github.com/fielato/fielato/internal/cosignature"
)

// evidenceExchange is an exchange of a bundle. Intent is set for an outcome alone.
type evidenceExchange struct {
	story.Exchange
	// request and answer are indented; nil if none is kept.
	request, answer []byte
}

// file is a file of an exchange. It is not there without content.
type file struct {
	name    string
	content []byte
}

// legFiles returns the files with the bytes of the client's and the service's sides, as they are in the
// record. Where the intent alone holds the service's side, there is no file of it.
func (x *evidenceExchange) legFiles() []file {
	service := x.At.Service != nil
	all := []file{{name: "client-request.xml"}, {name: "client-answer.xml"}, {name: "service-request.xml"}, {name: "service-request.json"}, {name: "service-answer.xml"}}
	for _, d := range x.Documents() {
		name := d.Part + ".xml"
		if !d.IsXML() {
			name = d.Part + ".json"
		}
		for i := range all {
			if all[i].name == name && (service || d.Part == story.PartClientRequest || d.Part == story.PartClientAnswer) {
				all[i].content = d.Kept
			}
		}
	}
	return all
}

// files returns the files of an exchange.
func (b *evidenceBundle) files(ctx context.Context, x *evidenceExchange) ([]file, error) {
	all := append([]file{{"request.json", x.request}, {"answer.json", x.answer}}, x.legFiles()...)
	for _, one := range []struct {
		name string
		of   *audit.Record
		from func(context.Context, *audit.Record) ([]byte, error)
	}{
		{"record.json", x.At, printedIndented},
		{"intent.json", x.Intent, printedIndented},
		{recordProof, x.At, b.proof},
		{intentProof, x.Intent, b.proof},
	} {
		if one.of == nil {
			continue
		}
		content, err := one.from(ctx, one.of)
		if err != nil {
			return nil, fmt.Errorf("making %s of record %d: %w", one.name, x.At.Index, err)
		}
		all = append(all, file{one.name, content})
		if one.name != recordProof {
			continue
		}
		stamp, kept, err := b.stamp(ctx, x.At, content)
		if err != nil {
			return nil, fmt.Errorf("the time-stamp of record %d: %w", x.At.Index, err)
		}
		all = append(all, stamp...)
		if kept != nil {
			b.stamps[story.Place{Log: x.At.Log, Index: x.At.Index}] = pageStamp{spanish.Moment(kept.Time), kept.Authority}
		}
	}
	return all, nil
}

// keyOf returns the public key of a log, empty if it has none.
func (b *evidenceBundle) keyOf(log string) string {
	if i := slices.IndexFunc(b.logs, func(l evidenceLog) bool { return l.Log == log }); i >= 0 {
		return b.logs[i].Key
	}
	return ""
}

// proof returns the proof that a record is in its log; nil without the key of the log.
func (b *evidenceBundle) proof(ctx context.Context, r *audit.Record) ([]byte, error) {
	key := b.keyOf(r.Log)
	if key == "" {
		return nil, nil
	}
	proof, _, err := Proven(ctx, b.store, r.Log, key, r.Index)
	if err != nil {
		return nil, err
	}
	return proof.Marshal(), b.noteWitnesses(proof.Checkpoint, key)
}

// noteWitnesses notes the names on the lines of witnesses under a checkpoint. Who has their keys verifies them.
func (b *evidenceBundle) noteWitnesses(checkpoint []byte, log string) error {
	var nobody *cosignature.Policy
	verdict, err := nobody.Judge(checkpoint, log)
	for _, name := range verdict.Unknown {
		if !slices.Contains(b.witnesses, name) {
			b.witnesses = append(b.witnesses, name)
		}
	}
	return err
}

func (b *evidenceBundle) read(ctx context.Context, at story.Place) (x *evidenceExchange, err error) {
	x = new(evidenceExchange)
	if x.At, err = b.store.Get(ctx, at.Log, at.Index); err != nil {
		return nil, fmt.Errorf("reading record %d of log %s: %w", at.Index, at.Log, err)
	}
	if x.At.Kind == audit.KindOutcome {
		if err = read.AddIntent(ctx, b.store, &x.Exchange); err != nil {
			return nil, err
		}
		if x.Intent != nil && x.Intent.Log != at.Log && b.keyOf(x.Intent.Log) == "" {
			x.Intent = nil // nothing in the bundle would prove it
		}
	}
	if x.request, err = indented(x.Request().Request); err != nil {
		return nil, fmt.Errorf("request of record %d: %w", x.Request().Index, err)
	}
	if x.answer, err = indented(x.At.Answer); err != nil {
		return nil, fmt.Errorf("answer of record %d: %w", at.Index, err)
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
func printedIndented(_ context.Context, r *audit.Record) ([]byte, error) {
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
