package app

import (
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"
)

// running has the apps of the configurations that have started and were not cleaned up, the
// newest last: two while one configuration replaces the other.
var running struct {
	sync.Mutex // guards apps
	apps       []*App
}

// run makes this the newest configuration and sets its clock. If the configuration before names
// the same clock, and that was moved, it stays moved: an unrelated reload must not throw a test
// back in time.
func (a *App) run() {
	running.Lock()
	defer running.Unlock()
	setting := a.named()
	if n := len(running.apps); n > 0 && a.builtIn {
		if before := running.apps[n-1]; before.builtIn && before.named().same(setting) {
			setting = before.clock.Setting()
		}
	}
	a.clock.move(setting)
	running.apps = append(running.apps, a)
	if setting.Simulated() {
		a.logger.Warn("the clock of the built-in service is simulated: rules, tickets and answers follow it, records and durations do not",
			zap.String("mode", setting.Written().Mode), zap.String("shows", setting.At(time.Now()).Format(time.RFC3339)))
	}
}

// leave removes the app from the running ones. It returns the newest that is left, nil for none.
func (a *App) leave() *App {
	running.Lock()
	defer running.Unlock()
	running.apps = slices.DeleteFunc(running.apps, func(other *App) bool { return other == a })
	return newestLocked()
}

// serve notes that all of the configuration is open.
func (a *App) serve() {
	running.Lock()
	defer running.Unlock()
	a.started = true
}

// Serving returns the app of the newest configuration that has started. While none has, it is the newest that starts,
// nil for none. A reload may take as long as a store or a witness does to answer, and may fail: the configuration before
// serves meanwhile.
func Serving() *App {
	running.Lock()
	defer running.Unlock()
	for _, a := range slices.Backward(running.apps) {
		if a.started {
			return a
		}
	}
	return newestLocked()
}

// Newest returns the app of the newest running configuration, nil for none. It may not have started yet.
func Newest() *App {
	running.Lock()
	defer running.Unlock()
	return newestLocked()
}

// newestLocked is Newest for a caller that holds running.
func newestLocked() *App {
	if n := len(running.apps); n > 0 {
		return running.apps[n-1]
	}
	return nil
}

// Replaces reports whether this configuration replaces another one of the process, rather than being
// its first.
func (a *App) Replaces() bool {
	running.Lock()
	defer running.Unlock()
	return slices.ContainsFunc(running.apps, func(other *App) bool { return other != a })
}

// EachRunning calls do for each running configuration, the newest last. None starts or ends
// until it returns. do must not call EachRunning or Newest.
func EachRunning(do func(*App)) {
	running.Lock()
	defer running.Unlock()
	for _, a := range running.apps {
		do(a)
	}
}

// MoveClock sets the clock of every running configuration with a built-in service, while
// requests read it: one that is being replaced may be the one that stays.
func MoveClock(setting ClockSetting) {
	EachRunning(func(a *App) {
		if a.builtIn {
			a.clock.move(setting)
		}
	})
}
