package caddymodule

import "github.com/spf13/cobra"

// group makes cmd one that only has other commands below it. An unknown command is an error,
// not a request for help.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}
