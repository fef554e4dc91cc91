package reading

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
)

type tailFlags struct {
	queryFlags
	cli.ColorFlags
	number   int
	interval time.Duration
	format   string
}

func (f *tailFlags) bind(set *pflag.FlagSet) {
	f.queryFlags.bind(set)
	set.IntVarP(&f.number, "number", "n", 10, "How many of the newest exchanges to begin with")
	set.DurationVar(&f.interval, "interval", 500*time.Millisecond, "How often to look for new ones")
	cli.FormatVar(set, &f.format, "table, or json: one object a line with the bodies")
	f.BindColor(set)
}

func tailCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &tailFlags{queryFlags: queryFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}}
	cmd := &cobra.Command{
		Use:   "tail [flags]",
		Short: "Shows the newest exchanges, oldest first, and follows new ones until it is interrupted",
		Long: `
Shows the newest exchanges that match all flags, oldest first, and then each new one as
soon as it has its outcome. It ends, with exit status 0, when it is interrupted.

If several gateways share the store it follows all logs, including those of gateways that
start later, or the one that --log names. Simultaneous exchanges are shown log by log.`,
		Example: `  fielato wsfev1 audit tail --store sqlite:./data/audit.db
  fielato wsfev1 audit tail --store sqlite:./data/audit.db -n 0 --outcome refused --format json`,
		Args: cli.None,
	}
	flags.bind(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runTail(cmd, flags) }
	return cmd
}

func runTail(cmd *cobra.Command, flags *tailFlags) error {
	wanted, err := flags.query()
	if err != nil {
		return err
	}
	if err := flags.check(&wanted); err != nil {
		return cli.UsageError(err)
	}
	cli.RemarkOnCUIT(cmd.ErrOrStderr(), flags.cuit)
	return cli.WithStore(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
		ctx, stop := cli.UntilInterrupted(ctx)
		defer stop()
		logs, err := s.Logs(ctx)
		if err != nil {
			return err
		}
		following := &tail{store: s.Store, logs: logs, newLogs: flags.Log == "", wanted: wanted}
		following.show = flags.printer(cmd.OutOrStdout(), wanted.Kind, len(logs) > 1 || s.Address.Kind.Shared && following.newLogs)
		ticker := time.NewTicker(flags.interval)
		defer ticker.Stop()
		err = following.run(ctx, flags.number, ticker.C)
		if ctx.Err() != nil {
			return nil // an interrupt is the normal end
		}
		return err
	})
}

// check returns an error if a flag that only tail has is wrong.
func (f *tailFlags) check(wanted *audit.Query) error {
	switch {
	case wanted.Kind == audit.KindIntent:
		return errors.New("--outcome open: tail shows exchanges that have an outcome, use search for those that have none")
	case f.number < 0:
		return fmt.Errorf("-n %d: give a number, or 0 for new ones only", f.number)
	case f.interval <= 0:
		return fmt.Errorf("--interval %s: give a time such as 500ms", f.interval)
	}
	return nil
}

// printer returns the function that prints each record at once.
func (f *tailFlags) printer(w io.Writer, kind audit.Kind, several bool) func(view.Entry) error {
	if f.format == "json" {
		return view.JSONPrinter{W: w, Addresses: several}.Row
	}
	columns := view.ColumnsOf(kind)
	if several {
		columns = columns.WithAddresses()
	}
	if f.Colored(w) {
		columns = columns.Colored()
	}
	return view.StreamRows(w, columns)
}

// tail follows logs.
type tail struct {
	store audit.Store
	logs  []string
	// newLogs: logs that begin later are followed too, from their first record.
	newLogs bool
	wanted  audit.Query
	show    func(view.Entry) error
	// next is the index of the next record to read in each log.
	next map[string]uint64
}

// run shows the newest records, then new ones at each tick, until ctx ends.
func (t *tail) run(ctx context.Context, newest int, ticks <-chan time.Time) error {
	if err := t.showNewest(ctx, newest); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks:
			if err := t.followLogs(ctx); err != nil {
				return err
			}
		}
	}
}

// followLogs shows the new records of all logs.
func (t *tail) followLogs(ctx context.Context) (err error) {
	if t.newLogs {
		if t.logs, err = t.store.Logs(ctx); err != nil {
			return fmt.Errorf("listing the logs: %w", err)
		}
	}
	for _, log := range t.logs {
		if err := t.followLog(ctx, log); err != nil {
			return err
		}
	}
	return nil
}

func (t *tail) size(ctx context.Context, log string) (uint64, error) {
	head, err := t.store.Head(ctx, log)
	if err != nil {
		return 0, fmt.Errorf("reading the head of log %s: %w", log, err)
	}
	return head.Size, nil
}

// showNewest shows the newest records and sets next behind them.
func (t *tail) showNewest(ctx context.Context, newest int) error {
	t.next = map[string]uint64{}
	for _, log := range t.logs {
		size, err := t.size(ctx, log)
		if err != nil {
			return err
		}
		t.next[log] = size
	}
	if newest == 0 {
		return nil
	}
	var found []*audit.Record
	for record, err := range audit.SearchLogs(ctx, t.store, t.logs, t.wanted) {
		if err != nil {
			return fmt.Errorf("searching: %w", err)
		}
		if record.Index >= t.next[record.Log] {
			continue
		}
		if found = append(found, record); len(found) == newest {
			break
		}
	}
	for _, record := range slices.Backward(found) {
		x, err := read.Found(ctx, t.store, record)
		if err != nil {
			return err
		}
		if err := t.show(view.Entry{Exchange: x}); err != nil {
			return err
		}
	}
	return nil
}

// followLog shows the new records of a log. It skips intents: their outcomes follow.
func (t *tail) followLog(ctx context.Context, log string) error {
	size, err := t.size(ctx, log)
	if err != nil {
		return err
	}
	for ; t.next[log] < size; t.next[log]++ {
		record, err := t.store.Get(ctx, log, t.next[log])
		if err != nil {
			return fmt.Errorf("reading record %d of log %s: %w", t.next[log], log, err)
		}
		if record.Kind == audit.KindIntent {
			continue
		}
		x, err := read.Found(ctx, t.store, record)
		if err != nil {
			return err
		}
		if !t.wanted.Matches(record, x.Intent) {
			continue
		}
		if err := t.show(view.Entry{Exchange: x}); err != nil {
			return err
		}
	}
	return nil
}
