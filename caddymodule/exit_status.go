package caddymodule

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// statusError is an error with which the process ends under a status above 1, which
// is what it ends with for any other error.
type statusError struct {
	error
	// carrier is Caddy's own error, for which its main function looks.
	carrier error
}

// Unwrap returns the error and the one that carries the status.
func (e *statusError) Unwrap() []error { return []error{e.error, e.carrier} }

// exitWith gives err a status of 2 or more. Caddy's type for this is not exported, so
// Caddy is made to make one; given no error itself, it logs nothing.
func exitWith(status int, err error) error {
	carry := caddycmd.WrapCommandFuncForCobra(func(caddycmd.Flags) (int, error) { return status, nil })
	return &statusError{err, carry(new(cobra.Command), nil)}
}

// The statuses of commands that judge something, and of wrong flags; 0 where nothing refuses.
const (
	statusRefused    = 1
	statusUnreadable = 2
)

// usageError gives an error about how check was called the status of what could not be
// read: a 1 would say that something was judged, and refused.
func usageError(err error) error {
	if err == nil {
		return nil
	}
	return exitWith(statusUnreadable, err)
}

// usageArgs gives wrong arguments the status of wrong flags.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return usageError(check(cmd, args)) }
}
