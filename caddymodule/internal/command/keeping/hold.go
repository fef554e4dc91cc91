package keeping

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/table"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/wsfev1"
)

type holdFlags struct {
	cli.StoreFlags
	format string
}

func holdCommand(common *cli.TrailFlags) *cobra.Command {
	flags := &holdFlags{StoreFlags: cli.StoreFlags{TrailFlags: common}}
	cmd := cli.Group(&cobra.Command{
		Use:   "hold",
		Short: "Keeps the content of an issuer's records from being purged",
		Long: `
A legal hold keeps the content of an issuer's records from audit purge until it is removed:
for an inspection, or for a court. It applies to all logs of the store, and at once, even
to a purge that is running. What was purged before does not come back. A record in which no
issuer could be read belongs to none.

Adding or removing a hold is recorded in a log, as a purge is: audit verify names a purge
that ignored a hold which no record has removed. A hold that cannot be recorded counts all
the same; one whose end cannot be recorded stays.`,
		Example: `  fielato wsfev1 audit hold add --store sqlite:./data/audit.db --cuit 20111111112
  fielato wsfev1 audit hold list --store sqlite:./data/audit.db`,
	})
	flags.Bind(cmd.PersistentFlags())
	flags.BindWriter(cmd.PersistentFlags())
	cli.FormatVar(cmd.PersistentFlags(), &flags.format, "table, or json: one object a line")
	cmd.AddCommand(
		changeHoldCommand(flags, "add", "Begins a hold", addHold),
		changeHoldCommand(flags, "remove", "Ends a hold", removeHold),
		&cobra.Command{
			Use: "list", Short: "Lists the issuers that are held", Args: cli.None,
			Example: "  fielato wsfev1 audit hold list --store sqlite:./data/audit.db",
			RunE:    func(cmd *cobra.Command, _ []string) error { return cli.WithPurger(cmd, &flags.StoreFlags, flags.list) },
		})
	return cmd
}

// changeHoldCommand returns a command that changes the hold of one issuer, then lists all.
func changeHoldCommand(flags *holdFlags, name, short string, change func(context.Context, *cli.Session, wsfev1.CUIT) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " --cuit N", Short: short, Args: cli.None,
		Example: "  fielato wsfev1 audit hold " + name + " --store sqlite:./data/audit.db --cuit 20111111112",
	}
	var cuit wsfev1.CUIT
	cli.CUITVar(cmd.Flags(), &cuit, "The issuer")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !cmd.Flags().Changed("cuit") {
			return cli.UsageError(errors.New("--cuit is missing: give the issuer"))
		}
		if err := cli.CheckCUIT(cuit); err != nil {
			return cli.UsageError(err)
		}
		return cli.WithPurger(cmd, &flags.StoreFlags, func(ctx context.Context, s *cli.Session) error {
			if err := change(ctx, s, cuit); err != nil {
				return err
			}
			return flags.list(ctx, s)
		})
	}
	return cmd
}

// addHold sets the hold before it is recorded: an unrecorded hold is better than none.
func addHold(ctx context.Context, s *cli.Session, cuit wsfev1.CUIT) error {
	if err := s.Purger.Hold(ctx, audit.Hold{Cuit: cuit, Since: time.Now()}); err != nil {
		return err
	}
	logs, err := s.Logs(ctx)
	if err == nil {
		_, err = s.Note(trail.Read{About: audit.AccessHold, Cuit: cuit}, logs...).Write(ctx)
	}
	if err != nil {
		return fmt.Errorf("the issuer %s is held, but the hold is not recorded: run the command again; %w", cuit, err)
	}
	return nil
}

// removeHold records the removal first, in each log that has the hold. A purge in between
// only keeps more than it must.
func removeHold(ctx context.Context, s *cli.Session, cuit wsfev1.CUIT) error {
	holds, err := s.Purger.Holds(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(holds, func(h audit.Hold) bool { return h.Cuit == cuit }) {
		return s.Purger.Release(ctx, cuit) // the error is that nothing is held
	}
	logs, err := logsThatHold(ctx, s, cuit)
	if err != nil {
		return err
	}
	for _, log := range logs {
		if _, err := s.Note(trail.Read{About: audit.AccessRelease, Cuit: cuit}, log...).Write(ctx); err != nil {
			return fmt.Errorf("the hold stays: its end must first be recorded in the log %s, which failed; %w", strings.Join(log, " or "), err)
		}
	}
	return s.Purger.Release(ctx, cuit)
}

// logsThatHold returns sets of logs; the removal is recorded in one log of each. Every log
// with a record of the hold is a set of its own, or the log in which its gateway goes on after a restoration. Without
// such a log there is one set, of all.
func logsThatHold(ctx context.Context, s *cli.Session, cuit wsfev1.CUIT) (each [][]string, err error) {
	all, err := s.AllLogs(ctx)
	if err != nil {
		return nil, err
	}
	for _, log := range all {
		held, err := audit.HeldIn(ctx, s.Store, log)
		if err != nil {
			return nil, err
		}
		if _, is := held[cuit]; !is {
			continue
		}
		// Nothing is added to one that has ended, and nothing in it can be purged.
		current, _, err := sentinel.Current(ctx, s.Store, log)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(each, func(of []string) bool { return of[0] == current }) {
			each = append(each, []string{current})
		}
	}
	if len(each) > 0 {
		return each, nil
	}
	logs, err := s.Logs(ctx)
	return [][]string{logs}, err
}

// listedHold is a hold for programs.
type listedHold struct {
	Cuit  wsfev1.CUIT `json:"cuit"`
	Since string      `json:"since"`
}

// list prints the issuers that are held.
func (f *holdFlags) list(ctx context.Context, s *cli.Session) error {
	holds, err := s.Purger.Holds(ctx)
	if err != nil {
		return err
	}
	if len(holds) == 0 {
		fmt.Fprintln(s.Cmd.ErrOrStderr(), "no issuer is held")
		return nil
	}
	listed := make([]listedHold, len(holds))
	for i, hold := range holds {
		listed[i] = listedHold{hold.Cuit, view.RFC3339(hold.Since)}
	}
	if f.format == "json" {
		return view.PrintLines(s.Cmd.OutOrStdout(), listed, func(h listedHold) string { return h.Cuit.String() })
	}
	rows := table.New(table.Column{Head: "CUIT"}, table.Column{Head: "SINCE"})
	for _, hold := range listed {
		rows.Row(hold.Cuit.String(), hold.Since)
	}
	return rows.Print(s.Cmd.OutOrStdout())
}
