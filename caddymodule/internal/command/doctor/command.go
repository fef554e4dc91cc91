package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
)

const help = `
Looks at all that a configuration needs in order to work: whether it is valid, who has its
ports, which handlers a request meets, whether each upstream is reached and answers FEDummy as
the service does, whether the certificates of wsaa are there and good, whether a gateway at work
has its ticket or pauses after a login that failed, whether WSAA is reached and somebody unknown
may use its tickets, whether clients can prove who they are and which may do everything, whether
the trail opens and may be written, whether its keys are there and the right ones, the room on the
disk, the clock, whether a checkpoint is kept elsewhere, whether enough witnesses are reached and
know the log, whether the time-stamping authority takes queries and its roots last, and the metrics.

✔ is as it should be, ! should be looked at, ✘ must be mended; the line below says how. It changes
nothing, and may run beside a gateway at work. No credentials are sent or shown. It does not log
in at WSAA, which then gives nobody else a ticket for some minutes: the command login does.

Exit status:
  0  there is no ✘
  1  there is a ✘
  2  the configuration cannot be read, wrong flags`

type doctorFlags struct {
	cli.ColorFlags
	cli.ConfigFlags
	format string
}

// Command returns the command.
func Command() *cobra.Command {
	flags := &doctorFlags{}
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Looks for what keeps a configuration from working, and says how to mend it",
		Long:  help,
		Example: `  fielato wsfev1 doctor
  fielato wsfev1 doctor --config Caddyfile.example --adapter caddyfile
  fielato wsfev1 doctor --config /etc/fielato/Caddyfile --format json`,
		Args: cli.UsageArgs(cli.None),
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd, flags) },
	}
	set := cmd.Flags()
	flags.Bind(set)
	cli.FormatVar(set, &flags.format, "table, or json: one object a line")
	flags.BindColor(set)
	return cmd
}

func run(cmd *cobra.Command, flags *doctorFlags) error {
	printer := printLines
	if flags.format == "table" {
		printer = report{flags.Painter(cmd.OutOrStdout())}.print
	}
	defer cli.Quiet()()
	adapted, err := flags.Load()
	if err != nil {
		return cli.UsageError(err)
	}
	results, err := examine(cmd.Context(), adapted)
	if err != nil {
		return cli.UsageError(err)
	}
	if err := printer(cmd.OutOrStdout(), results); err != nil {
		return cli.UsageError(fmt.Errorf("printing the report: %w", err))
	}
	found := len(slices.DeleteFunc(results, func(r result) bool { return r.Status != problem }))
	if found > 0 {
		return cli.Found(fmt.Errorf("problems found: %d", found))
	}
	return nil
}

// examine looks at everything, in the order in which a request meets it.
func examine(ctx context.Context, adapted []byte) ([]result, error) {
	c, err := readConfig(adapted)
	if err != nil {
		return nil, err
	}
	results := append(validity(adapted), portResults(ctx, c)...)
	results = append(append(results, orderResults(c)...), addressResults(adapted)...)
	for _, u := range c.upstreams {
		results = append(results, upstreamResults(ctx, u)...)
	}
	results = append(results, ticketResults(ctx, c)...)
	results = append(results, clientResults(c)...)
	for _, g := range c.gateways {
		results = append(results, trailResults(ctx, g, c.builtIn)...)
	}
	return append(results, metricsResult(ctx, c)), nil
}
