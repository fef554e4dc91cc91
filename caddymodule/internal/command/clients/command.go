package clientscmd

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

// gatewayFlag names one of several gateways.
type gatewayFlag struct{ gateway string }

func (f *gatewayFlag) bind(set *pflag.FlagSet) {
	set.StringVar(&f.gateway, "gateway", "", "Only the gateway whose directive wsfev1 stands there, such as Caddyfile:12")
}

type listFlags struct {
	cli.ConfigFlags
	gatewayFlag
	format string
}

// Command returns the commands about clients.
func Command() *cobra.Command {
	flags := &listFlags{}
	cmd := cli.Group(&cobra.Command{
		Use:   "clients [flags]",
		Short: "Shows who may send what, says whether a client may send a request, and which clients there were when",
		Long: `
Shows the clients and readers of each gateway in a configuration, with those of the file that
it names: what proves who each of them is, and what each may do. A * stands for all. LIMITS are
max_amount, rate and share. A gateway at work has these rows too, unless the configuration was
changed since it was loaded: "clients history" shows what the trail says.

` + "`clients check`" + ` says whether a client may send a request, and by which row.
` + cli.ExitStatuses,
		Example: `  fielato wsfev1 clients
  fielato wsfev1 clients --config /etc/fielato/Caddyfile --format json
  fielato wsfev1 clients check --user shop --cuit 20-11111111-2 --pto-vta 3 FECAESolicitar
  fielato wsfev1 clients history --store sqlite:./data/audit.db --since 2026-03-01`,
	})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runList(cmd, flags) }
	set := cmd.Flags()
	flags.Bind(set)
	flags.bind(set)
	cli.FormatVar(set, &flags.format, "table, or json: one object a line for each row")
	cmd.AddCommand(checkCommand(), historyCommand())
	return cmd
}

func runList(cmd *cobra.Command, flags *listFlags) error {
	defer cli.Quiet()()
	all, err := readGateways(&flags.ConfigFlags, flags.gateway)
	if err != nil {
		return cli.UsageError(err)
	}
	known := 0
	for _, g := range all {
		if g.Table == nil {
			continue
		}
		known++
		if flags.format == "json" {
			err = g.printRows(cmd.OutOrStdout())
		} else {
			err = g.print(cmd.OutOrStdout(), known > 1)
		}
		if err != nil {
			return fmt.Errorf("printing the clients: %w", err)
		}
	}
	if known == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "there are no clients and no readers: whoever reaches the gateway may send everything")
	}
	return nil
}
