package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Finish gives a command and those below it what all commands have alike: the exit status of
// wrong use, suggestions, refusal of flags without a value, the exit statuses in the help, and
// completion.
func Finish(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(flagError)
	SetHelpFooter(cmd, Documentation)
	finish(cmd)
}

// Documentation is where the commands are explained.
const Documentation = "Documentation: https://github.com/fielato/fielato/blob/main/docs/cli.md"

// SetHelpFooter ends the help of a command and those below it with a text. Caddy's own footer
// leads to pages that know nothing of these commands.
func SetHelpFooter(cmd *cobra.Command, text string) {
	cmd.SetHelpTemplate(new(cobra.Command).HelpTemplate() + "\n" + text + "\n")
}

func finish(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		finish(below)
	}
	if cmd.Args != nil {
		cmd.Args = UsageArgs(cmd.Args)
	}
	if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() && !takesFiles(cmd) {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	registerCompletions(cmd)
	refuseEmptyFlags(cmd)
	addExitStatuses(cmd)
}

// takesFiles reports whether the arguments of a command are files, by its line of usage.
func takesFiles(cmd *cobra.Command) bool {
	return strings.Contains(cmd.Use, "FILE") || strings.Contains(cmd.Use, "OLD")
}

// addExitStatuses adds the exit statuses to a help that lacks them.
func addExitStatuses(cmd *cobra.Command) {
	switch {
	case cmd.HasSubCommands() || strings.Contains(cmd.Long, exitStatusTitle):
		return
	case cmd.Long == "":
		cmd.Long = cmd.Short + "\n" + exitStatusesHere
	default:
		cmd.Long = strings.TrimRight(cmd.Long, "\n") + "\n" + exitStatusesHere
	}
}

// refuseEmptyFlags makes a flag without a value an error, and gives all errors their exit
// status. Otherwise a script with an unset
// variable would verify a trail without the key it meant to give, or empty another ledger than
// it named.
func refuseEmptyFlags(cmd *cobra.Command) {
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var empty error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if f.Value.Type() == "string" && f.Value.String() == "" {
				empty = fmt.Errorf("--%s has no value: give one, or leave the flag out", f.Name)
			}
		})
		if empty != nil {
			return UsageError(empty)
		}
		return withStatus(run(cmd, args))
	}
}
