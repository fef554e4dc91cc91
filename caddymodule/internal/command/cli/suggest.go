package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/internal/nearest"
)

// flagError gives SuggestFlag's error the status of wrong use.
func flagError(cmd *cobra.Command, err error) error { return UsageError(SuggestFlag(cmd, err)) }

// SuggestFlag explains a wrong flag, and suggests the nearest for one that does not exist.
func SuggestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var refused *refusedError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		err = fmt.Errorf("%w%s", err, nearest.Question("--"+unknown.GetSpecifiedName(), names))
	case errors.As(err, &invalid) && errors.As(err, &refused):
		err = fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), refused)
	}
	return err
}

// unknownCommand refuses the arguments of a group of commands, and suggests the nearest one.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
		}
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), nearest.Question(args[0], names))
}
