package admin

import (
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/login"
)

// shownLogin is how the admin API shows the built-in login service.
type shownLogin struct {
	// Fail is the code that was set here, nil if the configuration's holds.
	Fail *string `json:"fail"`
	// Remembered is how many clients have a ticket, as far as that matters.
	Remembered int `json:"remembered"`
	// Certificate is the certificate of the key, in PEM.
	Certificate string `json:"certificate"`
}

// serveLogin answers /wsfev1/backend/login. What PUT sets holds until the next PUT or DELETE, or
// until the process ends.
func serveLogin(a *app.App, w http.ResponseWriter, r *http.Request) error {
	control, leave, err := login.ControlOf(r.Context(), a)
	if errors.Is(err, login.ErrNone) {
		return adminError(http.StatusNotFound, err)
	}
	if err != nil {
		return adminError(http.StatusServiceUnavailable, err)
	}
	defer leave()
	switch r.Method {
	case http.MethodPut:
		var written struct {
			Fail string `json:"fail"`
		}
		if err := readAdmin(w, r, &written); err != nil {
			return err
		}
		if err := control.Fail(written.Fail); err != nil {
			return adminError(http.StatusBadRequest, err)
		}
		appLogger().Warn("the faults of the built-in login service were set", zap.String("fail", written.Fail))
	case http.MethodDelete:
		control.Reset()
		appLogger().Warn("the built-in login service has forgotten its logins, and what was set")
	}
	shown := shownLogin{Remembered: control.Remembered(), Certificate: control.Certificate()}
	if code, set := control.Failure(); set {
		shown.Fail = &code
	}
	return writeAdmin(w, shown)
}
