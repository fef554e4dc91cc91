package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// ErrUnrecorded: the record of a purge could not be written into the log. Nothing was purged.
var ErrUnrecorded = errors.New("nothing was purged: a purge must be recorded in the log before it begins, which failed")

// PurgeRecorded purges a log and records it there. Its order of steps leaves no content gone
// without a record, wherever it is cut off:
//
//  1. count what is to go, with the holds as they are;
//  2. record, a function of the log's writer, appends the scope durably and returns its index;
//  3. read the record back from the store: what is not there permits nothing;
//  4. purger removes what the record names, and no more.
//
// After an interruption it is called again, and records what is left. With request.DryRun, and
// where there is nothing to remove, nothing is written. Errors of 2 and 3 wrap ErrUnrecorded.
func PurgeRecorded(ctx context.Context, store Store, purger Purger, request PurgeRequest, record func(context.Context, PurgeScope) (uint64, error)) (PurgeResult, error) {
	counted, held, err := countPurge(ctx, purger, request)
	if err != nil || request.DryRun {
		return counted, err
	}
	total := counted.Total()
	if total.Purged == 0 && counted.Keys == 0 {
		return counted, nil
	}
	request.Records, request.Held = &counted.Records, held
	if total.Purged > 0 {
		scope := PurgeScope{
			Before: request.Before, First: counted.Records.First, Next: counted.Records.Next,
			Records: total.Purged, HeldRecords: total.Held, Held: held,
		}
		if err := writePurge(ctx, store, request.Log, scope, record); err != nil {
			return PurgeResult{}, fmt.Errorf("%w: %w", ErrUnrecorded, err)
		}
	}
	result, err := purger.Purge(ctx, request)
	if err == nil { // holds count beyond the records of the request too
		for period, count := range counted.Periods {
			result.Count(period, 0, count.Held-result.Periods[period].Held)
		}
	}
	return result, err
}

// writePurge appends the record and reads it back.
func writePurge(ctx context.Context, store Store, log string, scope PurgeScope, record func(context.Context, PurgeScope) (uint64, error)) error {
	index, err := record(ctx, scope)
	if err != nil {
		return err
	}
	written, err := store.Get(ctx, log, index)
	if err != nil {
		return fmt.Errorf("reading record %d of log %q: %w", index, log, err)
	}
	if written.Kind != KindAccess || written.Outcome != AccessPurge || !written.Purge.equal(&scope) || scope.Next > index {
		return fmt.Errorf("record %d of log %q is not the one of this purge", index, log)
	}
	return nil
}

// countPurge makes a dry run during which the holds stay the same.
func countPurge(ctx context.Context, purger Purger, request PurgeRequest) (PurgeResult, []wsfev1.CUIT, error) {
	request.DryRun, request.Progress = true, nil
	before, err := purger.Holds(ctx)
	for err == nil {
		request.Held = heldOf(before)
		counted, failed := purger.Purge(ctx, request)
		if failed != nil {
			return PurgeResult{}, nil, failed
		}
		var after []Hold
		if after, err = purger.Holds(ctx); err == nil && slices.Equal(heldOf(before), heldOf(after)) {
			return counted, request.Held, nil
		}
		before = after
	}
	return PurgeResult{}, nil, fmt.Errorf("reading the legal holds: %w", err)
}
