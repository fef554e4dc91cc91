package listing

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// Whole returns a record with what its intent has and it has not.
func Whole(ctx context.Context, f Found) (*audit.Record, error) {
	if f.Kind != audit.KindOutcome && f.Kind != audit.KindSettlement {
		return f.Record, nil
	}
	record := *f.Record
	intent, err := IntentOf(ctx, f)
	if err != nil || intent == nil {
		return &record, err
	}
	record.Request = intent.Request
	if record.Cuit == 0 {
		record.Cuit, record.PtoVta, record.CbteTipo, record.Vouchers = intent.Cuit, intent.PtoVta, intent.CbteTipo, intent.Vouchers
	}
	if record.Operation == "" {
		record.Operation = intent.Operation
	}
	return &record, nil
}

// IntentOf returns the intent of an outcome or a settlement. It is nil where it is not in the store or is damaged: its
// page says so.
func IntentOf(ctx context.Context, f Found) (*audit.Record, error) {
	at := story.IntentOf(f.Record)
	intent, err := f.Source.Store.Get(ctx, at.Log, at.Index)
	switch {
	case err == nil:
		return intent, nil
	case errors.Is(err, audit.ErrNotFound) || damage.Is(err):
		return nil, nil
	}
	return nil, fmt.Errorf("reading the intent of record %d of log %s: %w", f.Index, f.Log, err)
}
