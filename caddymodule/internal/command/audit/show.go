package auditcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/qrcode"
)

type showFlags struct {
	cli.StoreFlags
	cli.FormatFlags
}

func (f *showFlags) bind(set *pflag.FlagSet) {
	f.StoreFlags.Bind(set)
	f.FormatFlags.Bind(set, "table, or json: one object")
	f.BindRaw(set)
}

func showCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &showFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := &cobra.Command{
		Use:   "show INDEX",
		Short: "Shows one exchange whole; INDEX is a number, or the address that the gateway answered with",
		Long: `
Shows one exchange whole, with findings explained and both bodies. If it has two records,
its intent and its outcome, both are shown, whichever of them INDEX names. If several
gateways share the store, INDEX is an address, LOG/INDEX, or --log names the log.`,
		Example: `  fielato wsfev1 audit show --store sqlite:./data/audit.db 41
  fielato wsfev1 audit show --store sqlite:./data/audit.db gateway-1/41 --raw`,
		Args: cli.Exactly(cli.Index),
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runShow(cmd, flags, args[0]) }
	return cmd
}

func runShow(cmd *cobra.Command, flags *showFlags, address string) error {
	log, index, err := addressOf(address)
	if err != nil {
		return cli.UsageError(err)
	}
	printer := flags.Printer(cmd.OutOrStdout(), 0)
	return cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		if log == "" {
			if log, err = s.Log(ctx); err != nil {
				return err
			}
		}
		record, err := s.Store.Get(ctx, log, index)
		if errors.Is(err, audit.ErrNotFound) {
			return evidence.NoRecord(ctx, s.Store, log, index)
		}
		if err != nil {
			return fmt.Errorf("reading record %d of log %s: %w", index, log, err)
		}
		other, err := otherHalf(ctx, s.Store, record)
		if err != nil {
			return err
		}
		settlement, err := (&settlements{store: s.Store}).of(ctx, record, other)
		if err != nil {
			return err
		}
		qrs, err := qrsOf(ctx, s.Store, record, other, settlement)
		if err != nil {
			return err
		}
		return printer.Full(view.Entry{Record: record, Other: other, Settlement: settlement, QRs: qrs})
	})
}

// qrsOf returns the QR codes of the invoices that an exchange has approved. The records are the exchange's,
// in any order; nil stands for none.
func qrsOf(ctx context.Context, store audit.Store, records ...*audit.Record) (all []qrcode.Code, _ error) {
	var request *audit.Record
	for _, r := range records {
		if r != nil && len(r.Request) > 0 {
			request = r
		}
	}
	for _, r := range records {
		if r == nil || r.Kind == audit.KindIntent {
			continue
		}
		since, err := evidence.BuiltInSince(ctx, store, r.Log)
		if err != nil {
			return nil, err
		}
		all = append(all, qrcode.All(request, r, story.IsTestCode(r.Upstream, r.Time.Add(r.Duration), since))...)
	}
	return all, nil
}

// addressOf parses a record's index, or its address: log/index. The log is empty if only an
// index is given.
func addressOf(address string) (log string, index uint64, err error) {
	log, number, found := cutLast(address, "/")
	if !found {
		log, number = "", address
	}
	if index, err = strconv.ParseUint(number, 10, 64); err != nil {
		return "", 0, fmt.Errorf("%q is not an index: give a number, or an address such as gateway-1/41", address)
	}
	return log, index, nil
}

// settlements finds out how outcomes that leave something open were settled.
type settlements struct {
	store audit.Store
	// logs are all logs of the store, listed when they are first needed.
	logs []string
}

// of returns the settlement of an exchange whose client was not told what the service has done; nil
// for none. halves are the records of the exchange, in any order.
func (s *settlements) of(ctx context.Context, halves ...*audit.Record) (_ *audit.Record, err error) {
	for _, r := range halves {
		if r == nil || r.Kind != audit.KindOutcome || !story.LeavesOpen(r) {
			continue
		}
		intent := &audit.Record{Log: cmp.Or(r.IntentLog, r.Log), Index: r.Intent, ID: r.ID}
		if found, err := audit.SettlementIn(ctx, s.store, r.Log, intent); found != nil || err != nil {
			return found, err
		}
		if s.logs == nil {
			if s.logs, err = s.store.Logs(ctx); err != nil {
				return nil, fmt.Errorf("listing the logs: %w", err)
			}
		}
		return audit.SettlementElsewhere(ctx, s.store, s.logs, intent)
	}
	return nil, nil
}

// otherHalf returns the intent of an outcome or settlement, or the outcome of an intent. If
// another gateway has settled the intent, that record is its outcome. otherHalf returns nil
// for an exchange of one record, and for an intent without outcome.
func otherHalf(ctx context.Context, store audit.Store, r *audit.Record) (*audit.Record, error) {
	switch r.Kind {
	case audit.KindOutcome, audit.KindSettlement:
		return evidence.IntentOf(ctx, store, r)
	case audit.KindIntent:
		outcome, err := outcomeOfIntent(ctx, store, r)
		if outcome != nil || err != nil {
			return outcome, err
		}
		logs, err := store.Logs(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing the logs: %w", err)
		}
		return audit.SettlementElsewhere(ctx, store, logs, r)
	}
	return nil, nil
}

// outcomeOfIntent searches for the outcome that links to an intent. Both have the time at
// which the exchange began, so the search is short.
func outcomeOfIntent(ctx context.Context, store audit.Store, intent *audit.Record) (*audit.Record, error) {
	query := audit.Query{
		Log: intent.Log, Operation: intent.Operation,
		Since: intent.Time, Until: intent.Time.Add(time.Microsecond),
	}
	for record, err := range store.Search(ctx, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for the outcome of intent %d: %w", intent.Index, err)
		}
		if record.Kind == audit.KindOutcome && cmp.Or(record.IntentLog, record.Log) == intent.Log && record.Intent == intent.Index {
			return record, nil
		}
	}
	return nil, nil
}

// addRequest adds the body of the request, which the intent holds, to an outcome, in both forms.
func addRequest(ctx context.Context, store audit.Store, record *audit.Record) error {
	if record.Kind != audit.KindOutcome {
		return nil
	}
	intent, err := evidence.IntentOf(ctx, store, record)
	if err != nil {
		return err
	}
	record.Request = intent.Request
	if record.Client != nil && intent.Client != nil {
		record.Client.Request = intent.Client.Request
	}
	return nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
