package cli

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// ExitStatuses is the meaning of the exit status, which is the same for all commands. A
// command whose own help says no more of it has this text in its help.
//
// A command that gives a verdict (check, check-proof, consistency, verify) must not end with 1
// where it could not look: a script would take that for the verdict.
const ExitStatuses = `
Exit status:
  0  done, and nothing wrong was found
  1  something wrong was found, or the command failed
  2  wrong flags or arguments, and nothing was tried; or no verdict, as the input cannot be
     read (check, check-proof, consistency, verify)`

// exitStatusTitle begins the part of a help about the exit status.
const exitStatusTitle = "Exit status:"

// exitStatusesHere is the same for a command that gives no verdict.
const exitStatusesHere = `
Exit status:
  0  done
  1  it failed
  2  wrong flags or arguments; nothing was tried`

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
