package caddymodule

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/fielato/fielato/wsfev1"
)

// shownClock is how the admin API shows a clock: as it can be set, and what it
// shows now.
type shownClock struct {
	Clock
	Now string `json:"now"`
}

// serveClock answers /wsfev1/backend/clock. What PUT sets holds until another PUT,
// until a configuration that names another clock, or until the process ends.
func serveClock(a *App, w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPut {
		var written Clock
		if err := readAdmin(w, r, &written); err != nil {
			return err
		}
		setting, err := written.setting(time.Now())
		if err != nil {
			return adminError(http.StatusBadRequest, err)
		}
		moveClock(setting)
		appLogger().Warn("the clock of the built-in service was moved",
			zap.String("mode", setting.written().Mode), zap.String("shows", setting.at(time.Now()).Format(time.RFC3339)))
	}
	setting := a.Clock().setting()
	return writeAdmin(w, shownClock{
		Clock: setting.written(),
		Now:   setting.at(time.Now()).In(wsfev1.Argentina).Format(time.RFC3339),
	})
}

// clockAhead is 0 where no built-in service runs.
var clockAhead = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Name: "wsfev1_backend_clock_offset_seconds",
	Help: "How far the clock of the built-in service is ahead of the machine's, in seconds; 0 for the system's own.",
}, func() float64 {
	a := newestApp()
	if a == nil {
		return 0
	}
	setting := a.Clock().setting()
	if !setting.simulated() {
		return 0 // exactly
	}
	now := time.Now()
	return setting.at(now).Sub(now).Seconds()
})
