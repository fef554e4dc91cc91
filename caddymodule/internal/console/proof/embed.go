package proof

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// Script verifies a proof in a browser. A document that is opened elsewhere carries it with the proof.
//
//go:embed assets/proof-verify.js
var Script string

// WitnessScript verifies the lines of witnesses under the proof's checkpoint. It stands behind Script.
//
//go:embed assets/proof-witnesses.js
var WitnessScript string

// Embedded is the proof of a record for a document that verifies it where it is opened. It has no content: the
// record of a lot has the invoices of other receivers.
type Embedded struct {
	Log    string            `json:"log"`
	Index  string            `json:"index"`
	Text   string            `json:"text"`
	Masked bool              `json:"masked"`
	Claims map[string]string `json:"claims"`
	// Key is the public key of the log, as the server names it.
	Key string `json:"key"`
}

// claimed are the statements about a record that a document for people outside repeats.
var claimed = []string{"kind", "id", "intent", "time", "operation", "cuit", "pto_vta", "cbte_tipo", "vouchers", "resultado", "outcome", "certainty", "upstream", "environment"}

// Embed returns the proof of a record. It is nil where the server itself finds none, and where masked says that
// documents of receivers are hidden and the summary of the record has one.
func Embed(ctx context.Context, source *site.Source, log string, index uint64, masked bool) (*Embedded, error) {
	source, err := source.Proving(ctx, log, index)
	if err != nil {
		return nil, fmt.Errorf("proving %s: %w", audit.Address(log, index), err)
	}
	f, err := find(ctx, source, log, index)
	if err != nil {
		return nil, err
	}
	if f.flaw != nil || masked && maskOf(ctx, source, f.record).InSummary(f.record) {
		return nil, nil //nolint:nilerr // a flaw is no failure: the document goes without a proof, and says so
	}
	parts := *f.parts
	if parts.Form.Presence == audit.Present {
		parts.Form.Presence, parts.Form.Content = audit.Purged, nil
	}
	if parts.Form.Len() > maxInPage {
		return nil, nil
	}
	all := claimsOf(f.record, false)
	one := &Embedded{Log: log, Index: strconv.FormatUint(index, 10), Text: string(parts.Marshal()), Masked: true, Claims: map[string]string{}, Key: f.key}
	for _, name := range claimed {
		one.Claims[name] = all[name]
	}
	return one, nil
}
