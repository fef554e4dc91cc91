package clientscmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/caddymodule/internal/printable"
)

const checkHelp = `
Says whether a client may send a request, by the table of clients in the configuration: yes or
no, by which row, which rights it lacks, and how the row would have to be written so that it has
them. What sends the request is named by what proves it: the user, the client certificate, the
access ticket. What is left out, such as --pto-vta, may be anything that the row allows; a yes
says what that is. If the configuration has several gateways, there is an answer for each.

With --store or --at, the answer is by the table in the trail instead, which was in force at that
time: "Could this program issue for that CUIT in March?" It names the record of that table, which
"audit prove" proves and "audit show" shows. A day is its beginning in Argentina. Rules, the rate
and the share are not asked.

Exit status:
  0  yes
  1  no
  2  it could not be done: wrong flags, a configuration or a trail that cannot be read, or a
     trail that does not know`

type checkFlags struct {
	cli.ConfigFlags
	cli.StoreFlags
	gatewayFlag
	question
	at, format string
}

func checkCommand() *cobra.Command {
	flags := &checkFlags{StoreFlags: cli.StoreFlags{TrailFlags: &cli.TrailFlags{}}}
	cmd := &cobra.Command{
		Use:   "check [flags] OPERATION",
		Short: "Says whether a client may send a request, by which row, and what would have to be written",
		Long:  checkHelp,
		Example: `  fielato wsfev1 clients check --user shop --cuit 20-11111111-2 --pto-vta 3 FECAESolicitar
  fielato wsfev1 clients check --certificate CN=erp,O=Example --cuit 30-50001091-2 --cbte-tipo 1 --amount 1500000 FECAESolicitar
  fielato wsfev1 clients check --store sqlite:./data/audit.db --at 2026-03-15 --user shop --cuit 20-11111111-2 FECAESolicitar`,
		Args: cli.Exactly(cli.Argument{Name: "OPERATION", What: "the exact name of an operation, such as FECAESolicitar"}),
	}
	set := cmd.Flags()
	flags.question.bind(set)
	flags.ConfigFlags.Bind(set)
	flags.gatewayFlag.bind(set)
	flags.StoreFlags.Bind(set)
	flags.TrailFlags.Bind(set)
	cli.CompleteLogs(cmd)
	set.StringVar(&flags.at, "at", "", "By the table that was in force at that time: "+cli.TimeForms)
	cli.ChoiceVar(set, &flags.format, "format", "text", "text, or json: one object a line", "text", "json")
	cmd.ValidArgsFunction = cobra.FixedCompletions(operationNames(), cobra.ShellCompDirectiveNoFileComp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runCheck(cmd, flags, args[0]) }
	return cmd
}

// errDenied: the answer is no. It is printed already.
var errDenied = errors.New("the client may not send the request")

func runCheck(cmd *cobra.Command, flags *checkFlags, operation string) error {
	if err := flags.read(operation); err != nil {
		return cli.UsageError(err)
	}
	asked := flags.byConfiguration
	if cmd.Flags().Changed("store") || flags.at != "" {
		if cmd.Flags().Changed("config") {
			return cli.UsageError(errors.New("--config and --store: the answer is by one of them, leave the other out"))
		}
		asked = flags.byTrail
	}
	all, err := asked(cmd)
	if err != nil {
		return err
	}
	if flags.format == "json" {
		err = view.PrintLines(cmd.OutOrStdout(), all, func(v verdict) string { return "the verdict of " + v.Gateway })
	} else {
		err = printVerdicts(cmd.OutOrStdout(), all)
	}
	if err != nil {
		return cli.Inconclusive(fmt.Errorf("printing the verdict: %w", err))
	}
	if slices.ContainsFunc(all, func(v verdict) bool { return !v.Allowed }) {
		cmd.SilenceErrors = true
		return cli.Found(errDenied)
	}
	return nil
}

// byConfiguration answers by the tables of a configuration.
func (f *checkFlags) byConfiguration(*cobra.Command) (all []verdict, err error) {
	defer cli.Quiet()()
	gateways, err := readGateways(&f.ConfigFlags, f.gateway)
	if err != nil {
		return nil, cli.UsageError(err)
	}
	for _, g := range gateways {
		v := withoutTable(f.op, "the gateway has no clients: whoever reaches it may send everything")
		if g.Enforced {
			if v, err = f.judge(g.Table); err != nil {
				return nil, err
			}
		}
		v.Gateway, v.File = g.Line, g.File
		all = append(all, v)
	}
	return all, nil
}

// printVerdicts writes verdicts for people.
func printVerdicts(w io.Writer, all []verdict) error {
	var b strings.Builder
	for _, v := range all {
		b.WriteString(v.sentence() + "\n")
		for _, line := range [][2]string{{"row", v.Row}, {"only", v.onlyText()}, {"write", v.Write}, {"table", v.tableText()}} {
			if line[1] != "" {
				fmt.Fprintf(&b, "  %-6s %s\n", line[0], printable.OneLine(line[1]))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sentence is the verdict in one line.
func (v *verdict) sentence() string {
	by := ""
	if v.Gateway != "" {
		by = ", by " + v.Gateway
		if v.File != "" {
			by += " and " + v.File
		}
	}
	switch {
	case v.Allowed && v.Client == "":
		return "yes" + by + ": " + v.Reason
	case v.Allowed:
		return fmt.Sprintf("yes%s: client %s may send %s", by, v.Client, v.Operation)
	case v.Client == "":
		return "no" + by + ": " + v.Reason
	}
	var lacks []string
	for _, right := range v.Missing {
		lacks = append(lacks, string(right))
	}
	return fmt.Sprintf("no%s: client %s may not send %s: its row lacks %s", by, v.Client, v.Operation, strings.Join(lacks, ", "))
}

func (v *verdict) onlyText() string {
	if v.Only == nil {
		return ""
	}
	return v.Only.String()
}

// tableText says which record has the table.
func (v *verdict) tableText() string {
	if v.Table == "" {
		return ""
	}
	return fmt.Sprintf("%s, loaded %s by %s; to prove it: fielato wsfev1 audit prove %s", v.Table, v.Loaded, cmp.Or(v.Who, "somebody unknown"), v.Table)
}
