package admin

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsfev1"
)

// shownClock is how the admin API shows a clock: its setting, and the time that it shows now.
type shownClock struct {
	app.Clock
	Now string `json:"now"`
}

// serveClock answers /wsfev1/backend/clock. What PUT sets holds until the next PUT, until a
// configuration that names another clock, or until the process ends.
func serveClock(a *app.App, w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPut {
		var written app.Clock
		if err := readAdmin(w, r, &written); err != nil {
			return err
		}
		setting, err := written.Setting(time.Now())
		if err != nil {
			return adminError(http.StatusBadRequest, err)
		}
		app.MoveClock(setting)
		appLogger().Warn("the clock of the built-in service was moved",
			zap.String("mode", setting.Written().Mode), zap.String("shows", setting.At(time.Now()).Format(time.RFC3339)))
	}
	setting := a.Clock().Setting()
	return writeAdmin(w, shownClock{
		Clock: setting.Written(),
		Now:   setting.At(time.Now()).In(wsfev1.Argentina).Format(time.RFC3339),
	})
}
