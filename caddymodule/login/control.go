package login

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsaa"
)

// Control shows and sets the login service's state for the admin API.
type Control struct{ held *holdings }

// ErrNone: the configuration has no login service.
var ErrNone = errors.New("the running configuration has no wsfev1_wsaa")

// ControlOf returns the control of a configuration's login service, and a function to be called
// once when it is no longer used.
func ControlOf(ctx context.Context, a *app.App) (c Control, leave func(), err error) {
	r, ok := app.LookUp[*room](a, roomKey{})
	if !ok {
		return c, nil, ErrNone
	}
	held, leave, err := r.Enter(ctx)
	return Control{held}, leave, err
}

// Failure returns the code of the fault with which all logins end since Fail has set it, empty for
// none. set is false if the option fail holds.
func (c Control) Failure() (code string, set bool) {
	if failure := c.held.failure.Load(); failure != nil {
		return *failure, true
	}
	return "", false
}

// Fail lets all logins end with the fault of a code, or none if it is empty, in place of the option
// fail. It holds until Reset, or until the process ends.
func (c Control) Fail(code string) error {
	if err := checkFailure(code); err != nil {
		return err
	}
	c.held.failure.Store(&code)
	return nil
}

// checkFailure returns an error if there is no such code.
func checkFailure(code string) error {
	if code == "" || slices.Contains(wsaa.FaultCodes(), code) {
		return nil
	}
	return fmt.Errorf("fail %q: there is no such code: use %s", code, strings.Join(wsaa.FaultCodes(), ", "))
}

// Remembered returns how many logins are remembered for the window.
func (c Control) Remembered() int { return c.held.logins.Len() }

// Certificate returns the certificate of the key in PEM.
func (c Control) Certificate() string { return string(c.held.issuer.CertificatePEM()) }

// Reset forgets all logins, and what Fail has set.
func (c Control) Reset() {
	c.held.logins.Clear()
	c.held.failure.Store(nil)
}
