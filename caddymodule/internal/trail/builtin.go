package trail

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/tracing"
	"github.com/fielato/fielato/wsfev1"
)

// BuiltInKey returns the name of the setting that marks a log into which the built-in service
// has issued. Its value is the time of the first such record.
func BuiltInKey(log string) string { return "built-in-service/" + log }

// isInvented reports whether a record holds, or may lead to, an answer of the built-in service
// that would be given again: the answer to a change, or to a query by which the gateway settles
// one.
func isInvented(r *audit.Record) bool {
	if r.Upstream != audit.BuiltInUpstream {
		return false
	}
	op := wsfev1.OperationByName(r.Operation)
	return op != nil && op.Effect == wsfev1.EffectChanges || r.Decision == audit.DecisionAsk
}

// markInvented marks the log in the store as one with invented answers, durably before the first
// of them is written. An error means that the record cannot be written either.
func (t *Trail) markInvented(ctx context.Context, r *audit.Record) error {
	if t.invented.Load() || !isInvented(r) {
		return nil
	}
	since := r.Time.In(wsfev1.Argentina).Format(time.RFC3339)
	if err := t.Store.SetSetting(ctx, BuiltInKey(t.Log), []byte(since)); err != nil {
		return fmt.Errorf("keeping that the built-in service has answered: %w", err)
	}
	if !t.invented.CompareAndSwap(false, true) {
		return nil
	}
	looking, cancel := context.WithTimeout(ctx, issuedLookup)
	defer cancel()
	logs, err := t.logs(looking)
	if err != nil {
		return nil // it is marked, and this is but a warning
	}
	if log, _ := t.issuedIn(looking, logs); log != "" {
		trailLogger().Error("the built-in service answers in front of a trail into which another service has issued: "+
			"the CAEs from now on are invented, and this trail will not start in front of a real service again",
			zap.String("log", t.Log), zap.String("issued_into", log), tracing.ExchangeField(r.ID, r.TraceID))
	}
	return nil
}

// These bound the search for what another service has issued: a warning must not hold an
// exchange up.
const (
	issuedLookup  = time.Second
	issuedRecords = 100
)

// issuedIn returns one of the logs into which another service has issued, as far as a short search finds one;
// empty for none.
func (t *Trail) issuedIn(ctx context.Context, logs []string) (string, error) {
	for _, log := range logs {
		query := audit.Query{Log: log, Operation: "FECAESolicitar", Outcome: audit.OutcomeApproved, SummaryOnly: true, Limit: issuedRecords}
		for r, err := range t.Store.Search(ctx, query) {
			switch {
			case err != nil:
				return "", fmt.Errorf("looking for what was issued into the log %s: %w", log, err)
			case r.Upstream != audit.BuiltInUpstream:
				return log, nil
			}
		}
	}
	return "", nil
}

// logs returns the log of this trail, and after it the others of a shared store.
func (t *Trail) logs(ctx context.Context) ([]string, error) {
	logs := []string{t.Log}
	if _, shared := t.Store.(audit.Leases); !shared {
		return logs, nil
	}
	all, err := t.Store.Logs(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the logs: %w", err)
	}
	return append(logs, slices.DeleteFunc(all, func(log string) bool { return log == t.Log })...), nil
}

// IsInvented reports whether the store marks the log as one that the built-in service has issued
// into.
func (t *Trail) IsInvented() bool { return t.invented.Load() }

// recallInvented reads from the store whether the log holds invented answers.
func (t *Trail) recallInvented(ctx context.Context) error {
	since, err := InventedSince(ctx, t.Store, t.Log)
	t.invented.Store(since != "")
	return err
}

// InventedSince returns the time at which the built-in service first issued into a log, empty if
// it never did.
func InventedSince(ctx context.Context, store audit.Store, log string) (string, error) {
	since, err := store.Setting(ctx, BuiltInKey(log))
	if err != nil {
		return "", fmt.Errorf("reading whether the built-in service has answered in the log %s: %w", log, err)
	}
	return string(since), nil
}

// CheckService returns an error if a repeated request could be answered with an invention of the built-in service:
// now, or after that has issued. It checks all logs of a shared store. builtIn: that service may stand behind the gateway.
func (t *Trail) CheckService(builtIn bool, remedy string) error {
	ctx, cancel := context.WithTimeout(context.Background(), AppendTimeout)
	defer cancel()
	logs, err := t.logs(ctx)
	if err != nil {
		return err
	}
	for _, log := range logs {
		since, err := InventedSince(ctx, t.Store, log)
		switch {
		case err != nil:
			return err
		case since != "" && builtIn:
			return nil
		case since != "":
			return fmt.Errorf("the built-in service has issued into the log %s, first on %s, and its CAEs are invented: "+
				"a repeated request would get one from here. %s for the real service, or put wsfev1_backend back", log, since, remedy)
		}
	}
	if !builtIn {
		return nil
	}
	// What this gateway has issued itself is its own affair. Others would not start again.
	log, err := t.issuedIn(ctx, logs[1:])
	if err != nil || log == "" {
		return err
	}
	return fmt.Errorf("another service has issued into the log %s: once the built-in service has issued beside it, no gateway of this "+
		"database would start in front of a real one. %s for the built-in service, or remove wsfev1_backend", log, remedy)
}

// AnotherStore returns the advice where to keep the trail of another service.
func AnotherStore(opener StoreOpener) string {
	if opener.LogName() == "" {
		return "Give audit another file"
	}
	return "Give audit another database"
}
