package cli

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// statusError is an error with an exit status above 1. Other errors end the process with 1.
type statusError struct {
	error
	// carrier is Caddy's own error type, which its main function reads.
	carrier error
}

// Unwrap returns the error and the carrier of the status.
func (e *statusError) Unwrap() []error { return []error{e.error, e.carrier} }

// ExitWith gives err a status of 2 or more. Caddy's type for this is not exported, so Caddy
// makes one for a command that returns the status without an error, which logs nothing.
func ExitWith(status int, err error) error {
	carry := caddycmd.WrapCommandFuncForCobra(func(caddycmd.Flags) (int, error) { return status, nil })
	return &statusError{err, carry(new(cobra.Command), nil)}
}

// StatusUnreadable is the exit status for wrong flags and for input that cannot be read.
const StatusUnreadable = 2

// UsageError gives an error about flags or arguments the status 2: 1 would mean that the
// command ran and failed.
func UsageError(err error) error {
	if err == nil {
		return nil
	}
	return ExitWith(StatusUnreadable, err)
}

// UsageArgs gives wrong arguments the status of wrong flags.
func UsageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return UsageError(check(cmd, args)) }
}
