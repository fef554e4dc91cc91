package cli

import "github.com/spf13/cobra"

// Group makes cmd print its help when it is called alone. An unknown command below it is an
// error, which suggests the nearest one.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = unknownCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}
