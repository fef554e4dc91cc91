package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/validate/rules"
)

type rulesFlags struct{ operation, format string }

func (f *rulesFlags) bind(set *pflag.FlagSet) {
	cli.OperationVar(set, &f.operation, "operation", "Only the rules of this operation; its exact name")
	cli.FormatVar(set, &f.format, "table, or json: one object a line")
}

func rulesCommand() *cobra.Command {
	flags := &rulesFlags{}
	cmd := &cobra.Command{
		Use:   "rules [flags] [CODE…]",
		Short: "Lists the rules that the gateway knows, by code",
		Long: `
Lists the codes with which the service answers, in ascending order: all, those named,
or those of one operation.

DECIDED is where a rule is judged: at the edge by the gateway; by state if it needs the
tax register or the invoices issued before, so that only the service can decide it.
DEFAULT is the level of a rule unless the handler's option "rule" sets another. After
enforce* a part of it only observes: docs/validation.md has the list. IN FORCE
is the first and the last day, as yyyymmdd-yyyymmdd, on which the service applies a rule;
a missing day means no limit. They are days of the process: a rule that asks for something
new observes vouchers dated before its first day. BASIS is what a rule is based on: a table of the service's
manual, a resolution, observed answers, or a conclusion from these.

If a rule has several operations or bases, the table names the first and counts the
others. On a terminal it fits the width, and says which columns it leaves out. Rules named by their codes
are shown with their whole text, and json has everything, including where each basis can be
read: the table and the page of the manual, or a place in docs/sources.md. exchanges is the
number of recorded exchanges with the service in which a code was observed, 0 if they were
not counted.`,
		Example: `  fielato wsfev1 rules
  fielato wsfev1 rules 10048 10051
  fielato wsfev1 rules --operation FECAEARegInformativo --format json`,
	}
	flags.bind(cmd.Flags())
	cmd.ValidArgsFunction = cobra.FixedCompletions(catalogueCodes(), cobra.ShellCompDirectiveNoFileComp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runRules(cmd, flags, args) }
	return cmd
}

func runRules(cmd *cobra.Command, flags *rulesFlags, args []string) error {
	codes, err := ruleCodes(args)
	if err != nil {
		return cli.UsageError(err)
	}
	operation := flags.operation
	listed := slices.DeleteFunc(rules.Catalogue(), func(r rules.Rule) bool {
		return len(codes) > 0 && !slices.Contains(codes, r.Code) ||
			operation != "" && !slices.Contains(r.Operations, operation)
	})
	if flags.format == "json" {
		err = printRuleLines(cmd.OutOrStdout(), listed)
	} else {
		err = printRuleTable(cmd.OutOrStdout(), listed, len(codes) > 0)
	}
	if err != nil {
		return fmt.Errorf("printing the rules: %w", err)
	}
	edge := 0
	for i := range listed {
		if listed[i].DecidedAt == rules.Edge {
			edge++
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %d edge, %d state\n", quantity(len(listed), "entry", "entries"), edge, len(listed)-edge)
	return nil
}

// catalogueCodes returns the codes of the rules, for a shell to complete.
func catalogueCodes() []string {
	var codes []string
	for _, rule := range rules.Catalogue() {
		codes = append(codes, strconv.Itoa(int(rule.Code)))
	}
	return codes
}

// ruleCodes parses codes of the catalogue.
func ruleCodes(args []string) ([]int32, error) {
	codes := make([]int32, len(args))
	for i, text := range args {
		var err error
		if codes[i], err = ruleCode(text); err != nil {
			return nil, err
		}
		if _, known := rules.RuleByCode(codes[i]); !known {
			return nil, fmt.Errorf("no rule has the code %d", codes[i])
		}
	}
	return codes, nil
}

func ruleCode(text string) (int32, error) {
	code, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a code: give a number such as 10048", text)
	}
	return int32(code), nil
}

// quantity formats a number of things.
func quantity(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return strings.Join([]string{strconv.Itoa(n), many}, " ")
}
