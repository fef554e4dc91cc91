package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// ErrUnrecorded: the record of a purge could not be written into the log. Nothing was purged.
var ErrUnrecorded = errors.New("nothing was purged: a purge must be recorded in the log before it begins, which failed")

// PurgeRecorded purges a log and records it there. Its order of steps leaves no content gone
// without a record, wherever it is cut off:
//
//  1. count the contents that are to go, with the holds as they are;
//  2. compare it with the retention that the store keeps of the log (Retention): if any content
//     must be kept, nothing is removed (RetainedError), unless request.Override says why it may go;
//  3. record, a function of the log's writer, appends the scope durably and returns its index;
//  4. read the record back from the store: a record that is not there permits nothing;
//  5. purger removes the contents that the record names, and no more.
//
// After an interruption call it again: it records the rest. With request.DryRun, and
// where there is nothing to remove, nothing is written; a dry run returns what it has counted with
// the RetainedError of step 2. Errors of 3 and 4 wrap ErrUnrecorded.
func PurgeRecorded(ctx context.Context, store Store, purger Purger, request PurgeRequest, record func(context.Context, PurgeScope) (uint64, error)) (PurgeResult, error) {
	if request.Override != "" {
		if err := CheckOverride(request.Override); err != nil {
			return PurgeResult{}, err
		}
	}
	counted, held, err := countPurge(ctx, purger, request)
	if err != nil {
		return counted, err
	}
	total := counted.Total()
	if total.Purged == 0 && (counted.Keys == 0 || request.DryRun) {
		return counted, nil
	}
	request.Held = held
	went, err := allowPurge(ctx, store, &request, total.Purged > 0)
	if err != nil && !request.DryRun {
		counted = PurgeResult{}
	}
	if err != nil || request.DryRun {
		return counted, err
	}
	request.Records = &counted.Records
	if total.Purged > 0 {
		scope := PurgeScope{
			Before: request.Before, First: counted.Records.First, Next: counted.Records.Next,
			Records: total.Purged, HeldRecords: total.Held, Held: held, Retention: went,
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

// allowPurge returns the retention by which the purge may go on, for its record, or a
// RetainedError. content: it takes any.
func allowPurge(ctx context.Context, store Store, request *PurgeRequest, content bool) (*PurgeRetention, error) {
	if !content {
		return nil, nil
	}
	years, err := Retention(ctx, store, request.Log)
	if err != nil {
		return nil, err
	}
	err = retained(ctx, store, request, years)
	var early *RetainedError
	if errors.As(err, &early) && request.Override != "" {
		return retention(years, request.Override), nil
	}
	return retention(years, ""), err
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

// HeldIn returns the issuers whose hold a log has recorded, and no release since, with the index of the record of the
// hold. A purge of the log has to keep them (PurgeScope.Held).
func HeldIn(ctx context.Context, store Store, log string) (map[wsfev1.CUIT]uint64, error) {
	held, released := map[wsfev1.CUIT]uint64{}, map[wsfev1.CUIT]uint64{}
	for outcome, newest := range map[Outcome]map[wsfev1.CUIT]uint64{AccessHold: held, AccessRelease: released} {
		for r, err := range store.Search(ctx, Query{Log: log, Kind: KindAccess, Outcome: outcome}) {
			if err != nil {
				return nil, fmt.Errorf("looking for legal holds in log %q: %w", log, err)
			}
			newest[r.Cuit] = max(newest[r.Cuit], r.Index)
		}
	}
	maps.DeleteFunc(held, func(cuit wsfev1.CUIT, began uint64) bool {
		ended, is := released[cuit]
		return is && ended > began
	})
	return held, nil
}
