package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

// Argument is an argument that a command needs.
type Argument struct{ Name, What string }

// Index is the argument that names a record.
var Index = Argument{"INDEX", "a number or LOG/INDEX, as the gateway answers it in Wsfev1-Record"}

// parseIndex parses a record's index, or its address: log/index. The log is empty if only an
// index is given.
func parseIndex(text string) (log string, index uint64, err error) {
	if index, err = strconv.ParseUint(text, 10, 64); err == nil {
		return "", index, nil
	}
	log, index, ok := audit.ParseAddress(text)
	if !ok {
		return "", 0, fmt.Errorf("%q is not an index: give a number, or an address such as gateway-1/41", text)
	}
	return log, index, nil
}

// Exactly refuses a command line that lacks one of the arguments, which it names, or has more.
func Exactly(wanted ...Argument) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if err := atLeast(args, wanted); err != nil {
			return err
		}
		if len(args) > len(wanted) {
			return fmt.Errorf("%q is one argument too many", args[len(wanted)])
		}
		return nil
	}
}

// AtLeast is Exactly for a command that takes more.
func AtLeast(wanted ...Argument) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error { return atLeast(args, wanted) }
}

func atLeast(args []string, wanted []Argument) error {
	if len(args) < len(wanted) {
		missing := wanted[len(args)]
		return fmt.Errorf("%s is missing: %s", missing.Name, missing.What)
	}
	return nil
}

// None refuses any argument.
func None(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: this command takes flags and no arguments", args[0])
	}
	return nil
}
