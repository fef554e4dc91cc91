package clientscmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
)

// byTrail answers by the table that was in force in a log of the trail.
func (f *checkFlags) byTrail(cmd *cobra.Command) (all []verdict, err error) {
	at, err := cli.ParseTime("at", f.at)
	if err != nil {
		return nil, cli.UsageError(err)
	}
	if at.IsZero() {
		at = time.Now()
	}
	err = cli.WithStore(cmd, &f.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		log, err := s.Log(ctx)
		if err != nil {
			return err
		}
		record, others, err := inForce(ctx, s.Store, log, f.gateway, at)
		if err != nil {
			return err
		}
		if len(others) > 1 {
			fmt.Fprintf(cmd.ErrOrStderr(), "the log has tables of gateways at %s: this is by the newest of them; name one with --gateway\n", strings.Join(others, ", "))
		}
		v, err := f.byRecord(record)
		all = []verdict{v}
		return err
	})
	return all, err
}

// byRecord answers by the table of a record, nil for none.
func (f *checkFlags) byRecord(r *audit.Record) (v verdict, err error) {
	const without = "there was no table of clients: whoever reached the gateway could send everything"
	if r == nil {
		return withoutTable(f.op, without), nil
	}
	if r.Presence != audit.Present {
		return v, fmt.Errorf("the table of clients in record %s cannot be read: its content is %s", r.Address(), r.Presence)
	}
	kept, err := access.ReadKept(r)
	if err != nil {
		return v, err
	}
	if v = withoutTable(f.op, without); kept.Enforced() {
		if v, err = f.judge(kept.Table); err != nil {
			return v, err
		}
	}
	v.Gateway, v.File = kept.Gateway, kept.File
	v.Table, v.Loaded, v.Who = r.Address(), view.Moment(r.Time), r.ClientIdentity
	return v, nil
}

// inForce returns the record with the table that was in force in a log at a time, nil if there was none. others
// are the places of the gateways whose tables the log had by then.
func inForce(ctx context.Context, store audit.Store, log, gateway string, at time.Time) (found *audit.Record, others []string, err error) {
	began, err := store.Get(ctx, log, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the first record of log %s: %w", log, err)
	}
	if at.Before(began.Time) {
		return nil, nil, fmt.Errorf("the log %s begins on %s, and does not know what was in force before", log, view.Moment(began.Time))
	}
	query := tableQuery
	query.Log, query.Until = log, at.Add(time.Microsecond)
	for record, err := range store.Search(ctx, query) {
		if err != nil {
			return nil, nil, fmt.Errorf("looking for the tables of clients: %w", err)
		}
		kept, err := access.ReadKept(record)
		if err != nil {
			return nil, nil, err
		}
		if record.Presence == audit.Present && !stands(kept.Gateway, gateway) {
			continue
		}
		if found == nil {
			found = record
		}
		if kept.Gateway != "" && !slices.Contains(others, kept.Gateway) {
			others = append(others, kept.Gateway)
		}
	}
	if found == nil && gateway != "" {
		return nil, nil, fmt.Errorf("--gateway %s: log %s has no table of clients of a gateway there; `clients history` lists them", gateway, log)
	}
	return found, others, nil
}

// tableQuery asks for the records of tables.
var tableQuery = audit.Query{Kind: audit.KindAccess, Outcome: audit.AccessClients}
