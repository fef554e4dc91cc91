package cli

import "github.com/spf13/cobra"

// Group makes cmd print its help when it is called alone. An unknown command below it is an
// error, which suggests the nearest one.
func Group(cmd *cobra.Command) *cobra.Command {
	cmd.Args = unknownCommand
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// AddTitled adds commands below cmd. The help lists them below a title.
func AddTitled(cmd *cobra.Command, title string, below ...*cobra.Command) {
	cmd.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, one := range below {
		one.GroupID = title
	}
	cmd.AddCommand(below...)
}
