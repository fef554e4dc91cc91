package export

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
)

// purges returns the proofs of all that the log has recorded of its purges: it is asked
// once everything is written, so that whatever was found purged is among them.
func (e *exporter) purges(ctx context.Context) ([]string, error) {
	records, err := verify.ReadPurges(ctx, e.store, e.log)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(records, func(a, b *audit.Record) int { return cmp.Compare(a.Index, b.Index) })
	var all []string
	for _, r := range records {
		proof, err := audit.Prove(ctx, e.store, e.log, e.options.Verifier, r.Index)
		if err != nil {
			return nil, fmt.Errorf("proving the purge in record %d: %w", r.Index, err)
		}
		all = append(all, string(proof.Marshal()))
	}
	return all, nil
}
