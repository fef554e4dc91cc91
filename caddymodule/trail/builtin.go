package trail

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outcome"
	"github.com/fielato/fielato/wsfev1"
)

// BuiltInUpstream is the Upstream of what the built-in service was asked: it tells an
// invented answer from a real one.
const BuiltInUpstream = "wsfev1_backend"

// BuiltInKey is the setting by which a store says that the built-in service has issued into
// a log. Its value is since when.
func BuiltInKey(log string) string { return "built-in-service/" + log }

// isInvented reports whether a record holds, or may lead to, an answer of the built-in service
// that would be given again: that to what changes something, or to a question by which the
// gateway finds out what became of that.
func isInvented(r *audit.Record) bool {
	if r.Upstream != BuiltInUpstream {
		return false
	}
	op := wsfev1.OperationByName(r.Operation)
	return op != nil && op.Effect == wsfev1.EffectChanges || r.Decision == outcome.DecisionAsk
}

// markInvented makes the store say that the log holds invented answers, durably before the
// first of them is in it. An error is as one of the record itself: it cannot be written.
func (t *Trail) markInvented(ctx context.Context, r *audit.Record) error {
	if t.invented.Load() || !isInvented(r) {
		return nil
	}
	since := r.Time.In(wsfev1.Argentina).Format(time.RFC3339)
	if err := t.Store.SetSetting(ctx, BuiltInKey(t.Log), []byte(since)); err != nil {
		return fmt.Errorf("keeping that the built-in service has answered: %w", err)
	}
	if t.invented.CompareAndSwap(false, true) && t.hasIssued(ctx) {
		trailLogger().Error("the built-in service answers in front of a trail into which another service has issued: "+
			"the CAEs from now on are invented, and this trail will not start in front of a real service again",
			zap.String("log", t.Log), zap.String("exchange", r.ID))
	}
	return nil
}

// A warning must not hold an exchange up: this bounds how long is looked for what another
// service has issued, and at how many records.
const (
	issuedLookup  = time.Second
	issuedRecords = 100
)

// hasIssued reports whether another service has authorised an invoice in the log, as far as
// that is found soon.
func (t *Trail) hasIssued(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, issuedLookup)
	defer cancel()
	query := audit.Query{Log: t.Log, Operation: "FECAESolicitar", Outcome: outcome.Approved, Limit: issuedRecords}
	for r, err := range t.Store.Search(ctx, query) {
		if err != nil {
			return false
		}
		if r.Upstream != BuiltInUpstream {
			return true
		}
	}
	return false
}

// IsInvented reports whether the store says that the built-in service has issued into the log.
func (t *Trail) IsInvented() bool { return t.invented.Load() }

// recallInvented learns from the store whether the log holds invented answers.
func (t *Trail) recallInvented(ctx context.Context) error {
	since, err := InventedSince(ctx, t.Store, t.Log)
	t.invented.Store(since != "")
	return err
}

// InventedSince returns since when the built-in service has issued into a log, no text if it
// has not.
func InventedSince(ctx context.Context, store audit.Store, log string) (string, error) {
	since, err := store.Setting(ctx, BuiltInKey(log))
	if err != nil {
		return "", fmt.Errorf("reading whether the built-in service has answered in the log %s: %w", log, err)
	}
	return string(since), nil
}

// CheckReal finds out whether a request that comes again could be answered from the trail with
// what the built-in service has invented: also from the logs of others that share the store.
func (t *Trail) CheckReal(remedy string) error {
	ctx, cancel := context.WithTimeout(context.Background(), AppendTimeout)
	defer cancel()
	logs := []string{t.Log}
	if _, shared := t.Store.(audit.Leases); shared {
		all, err := t.Store.Logs(ctx)
		if err != nil {
			return fmt.Errorf("listing the logs: %w", err)
		}
		logs = append(logs, slices.DeleteFunc(all, func(log string) bool { return log == t.Log })...)
	}
	for _, log := range logs {
		since, err := InventedSince(ctx, t.Store, log)
		if err != nil {
			return err
		}
		if since != "" {
			return fmt.Errorf("the built-in service has issued into the log %s, first on %s, and its CAEs are invented: "+
				"a repeated request would get one from here. %s, or put wsfev1_backend back", log, since, remedy)
		}
	}
	return nil
}

// AnotherStore says where the trail of the real service goes.
func AnotherStore(opener StoreOpener) string {
	if opener.LogName() == "" {
		return "Give audit another file for the real service"
	}
	return "Give audit another database for the real service"
}
