package timestamped

import (
	"context"
	"time"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/wsfev1"
)

// stampers are the stampers of a configuration, by the key of their trail.
type stampers struct{ all map[string]*Stamper }

// stampersKey is the key under which handlers share the stampers.
type stampersKey struct{}

// Run runs a stamper with the configuration. Two gateways that share a trail share its stamper too.
func Run(a *app.App, s *Stamper) {
	running := app.Shared(a, stampersKey{}, func() *stampers { return &stampers{map[string]*Stamper{}} })
	if running.all[s.source.Key] == nil {
		running.all[s.source.Key] = s
		a.Run(s)
	}
}

// ShownTimestamp is how the admin API shows the time-stamps of a trail.
type ShownTimestamp struct {
	// Address is the scheme and host of the authority's URL.
	Address string `json:"place"`
	// Records is how many records the newest stamp covers, Time its time, and Authority the name in the certificate of
	// its signer. They are empty if there is none.
	Records   uint64 `json:"records"`
	Time      string `json:"time"`
	Authority string `json:"authority"`
	// At is when the newest checkpoint was last known to be stamped, empty for never. Problem is why it is not.
	At      string `json:"at"`
	Problem string `json:"problem"`
}

// Shown returns how the stamper of a trail stands, nil if it has none.
func Shown(ctx context.Context, a *app.App, of Source) *ShownTimestamp {
	running, ok := app.LookUp[*stampers](a, stampersKey{})
	if !ok {
		return nil
	}
	for _, s := range running.all {
		t, leave, err := s.source.Enter(ctx)
		if err != nil {
			continue
		}
		leave()
		if t == of {
			return s.show()
		}
	}
	return nil
}

func (s *Stamper) show() *ShownTimestamp {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := &ShownTimestamp{Address: s.authority.address(), At: written(s.state.at)}
	if kept := s.state.kept; kept != nil {
		shown.Records, shown.Time, shown.Authority = kept.Records, written(kept.Time), kept.Authority
	}
	if s.state.problem != nil {
		shown.Problem = s.state.problem.Error()
	}
	return shown
}

// written returns a time as the admin API shows it, empty for none.
func written(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(wsfev1.Argentina).Format(time.RFC3339)
}
