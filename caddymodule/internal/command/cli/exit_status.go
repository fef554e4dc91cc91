package cli

import (
	"errors"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
)

// ExitStatuses is the meaning of the exit status, which is the same for all commands.
//
// No command ends with 1 where it could not look: a script would take that for a verdict.
const ExitStatuses = `
Exit status:
  0  done, and nothing wrong was found
  1  something wrong was found: an invoice that would be refused, a trail or a proof that
     does not hold, a configuration that cannot work
  2  it could not be done: wrong flags or arguments, or what it needs is missing, locked or
     cannot be read; the message says what to do`

// exitStatusTitle begins the part of a help about the exit status.
const exitStatusTitle = "Exit status:"

// exitStatusesHere is the same for a command that gives no verdict.
const exitStatusesHere = `
Exit status:
  0  done
  1  something wrong was found, such as a trail that was changed
  2  it could not be done; the message says why`

// statusError is an error with the exit status 2. Other errors end the process with 1.
type statusError struct {
	error
	// carrier is Caddy's own error type, which its main function reads.
	carrier error
}

// Unwrap returns the error and the carrier of the status.
func (e *statusError) Unwrap() []error { return []error{e.error, e.carrier} }

// Inconclusive gives an error the status 2: it could not be done, or nothing was found out. Caddy's type for this is
// not exported, so Caddy makes one for a command that returns the status without an error, which logs nothing.
func Inconclusive(err error) error {
	if err == nil {
		return nil
	}
	carry := caddycmd.WrapCommandFuncForCobra(func(caddycmd.Flags) (int, error) { return 2, nil })
	return &statusError{err, carry(new(cobra.Command), nil)}
}

// verdictError is an error with the exit status 1.
type verdictError struct{ error }

// Unwrap returns the error.
func (e *verdictError) Unwrap() error { return e.error }

// Found marks an error as something wrong that a command has found: its exit status is 1. It
// outweighs all that could not be done.
func Found(err error) error {
	if err == nil {
		return nil
	}
	return &verdictError{err}
}

// withStatus gives the error of a command the exit status 2, unless it is a verdict.
func withStatus(err error) error {
	_, found := errors.AsType[*verdictError](err)
	_, given := errors.AsType[*statusError](err)
	switch {
	case err == nil || found || given:
		return err
	case errors.Is(err, audit.ErrUnsound), errors.Is(err, audit.ErrUnproven):
		return Found(err)
	}
	return Inconclusive(err)
}

// UsageError gives an error about flags or arguments the status 2.
func UsageError(err error) error { return Inconclusive(err) }

// UsageArgs gives wrong arguments the status of wrong flags.
func UsageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return UsageError(check(cmd, args)) }
}
