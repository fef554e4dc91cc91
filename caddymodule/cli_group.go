package caddymodule

import "github.com/spf13/cobra"

// group makes cmd print its help when it is called alone. An unknown command below it is an
// error.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}
