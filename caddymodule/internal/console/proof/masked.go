package proof

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
)

// A proof covers a record byte for byte, so nothing can be replaced in it. What can be left out is the
// content, as a purge leaves it out: the proof of the summary holds without it. Where even the summary has
// a document, there is nothing that could be handed out masked.

// errWithheld: the summary of the record has a document of a receiver.
var errWithheld = errors.New("the summary of the record has a document of a receiver")

// errMasked: evidence has everything.
var errMasked = errors.New("evidence holds whole documents")

// maskOf returns what hides the documents that a record holds, and the documents of the request that it is about.
// A record that is not there holds none.
func maskOf(ctx context.Context, source *site.Source, r *audit.Record) *mask.Mask {
	if r == nil {
		return mask.New(0)
	}
	x := story.ExchangeOf(r)
	_ = read.AddIntent(ctx, source.Store, x) // the page itself says so if it is not there
	return mask.Of(r.Cuit, x.Records()...)
}

// withoutContent returns the text of a proof without the content of its record.
func withoutContent(ctx context.Context, source *site.Source, proof *audit.Proof, verifier string) ([]byte, error) {
	record, err := proof.Check(verifier)
	if err != nil {
		return nil, err
	}
	if maskOf(ctx, source, record).InSummary(record) {
		return nil, errWithheld
	}
	short := *proof
	if short.Form.Presence == audit.Present {
		short.Form.Presence, short.Form.Content = audit.Purged, nil
	}
	return short.Marshal(), nil
}

// line returns a text of the record for one line of the page.
func (p *proofPage) line(text string) string { return oneLine(p.hide.Text(text)) }

// detail words an error, which may quote the record.
func (p *proofPage) detail(err error) string { return p.hide.Text(fmt.Sprint(err)) }
