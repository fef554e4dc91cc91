package caddymodule

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

func holdCommand() *cobra.Command {
	group := &cobra.Command{
		Use:   "hold",
		Short: "Keeps the content of an issuer's records from being purged",
		Long: `
A legal hold keeps the content of an issuer's records from audit purge until it is removed:
for an inspection, or for a court. It holds for all logs of the store, and at once, also
for a purge that is at work. What was purged before does not come back. A record in which
no issuer could be read belongs to none.`,
		Example: `  fielato wsfev1 audit hold add --store sqlite:./data/audit.db --cuit 20111111112
  fielato wsfev1 audit hold list --store sqlite:./data/audit.db`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.PersistentFlags().String("store", "", storeFlagUsage)
	for _, one := range []struct {
		name, short string
		do          func(*cobra.Command, context.Context, audit.Purger, wsfev1.CUIT) error
	}{
		{"add", "Begins a hold", func(cmd *cobra.Command, ctx context.Context, p audit.Purger, cuit wsfev1.CUIT) error {
			return p.Hold(ctx, audit.Hold{Cuit: cuit, Since: time.Now()})
		}},
		{"remove", "Ends a hold", func(cmd *cobra.Command, ctx context.Context, p audit.Purger, cuit wsfev1.CUIT) error {
			return p.Release(ctx, cuit)
		}},
	} {
		cmd := &cobra.Command{
			Use: one.name + " --cuit N", Short: one.short, Args: cobra.NoArgs,
			Example: "  fielato wsfev1 audit hold " + one.name + " --store sqlite:./data/audit.db --cuit 20111111112",
		}
		cmd.Flags().Int64("cuit", 0, "The issuer")
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			number, _ := cmd.Flags().GetInt64("cuit")
			cuit := wsfev1.CUIT(number)
			if !cuit.Valid() {
				return fmt.Errorf("--cuit %d is no CUIT: it has eleven digits, the last of them a check digit", number)
			}
			return withPurger(cmd, func(ctx context.Context, _ audit.Store, p audit.Purger) error {
				if err := one.do(cmd, ctx, p, cuit); err != nil {
					return err
				}
				return listHolds(cmd, ctx, p)
			})
		}
		group.AddCommand(cmd)
	}
	group.AddCommand(&cobra.Command{
		Use: "list", Short: "Lists the issuers that are held", Args: cobra.NoArgs,
		Example: "  fielato wsfev1 audit hold list --store sqlite:./data/audit.db",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withPurger(cmd, func(ctx context.Context, _ audit.Store, p audit.Purger) error {
				return listHolds(cmd, ctx, p)
			})
		},
	})
	return group
}

func listHolds(cmd *cobra.Command, ctx context.Context, p audit.Purger) error {
	holds, err := p.Holds(ctx)
	if err != nil {
		return err
	}
	if len(holds) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no issuer is held")
		return nil
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "CUIT\tSINCE")
	for _, hold := range holds {
		fmt.Fprintf(table, "%d\t%s\n", hold.Cuit, hold.Since.In(wsfev1.Argentina).Format(time.RFC3339))
	}
	return table.Flush()
}
