package gateway_test

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/internal/testrun"
)

// trial is an ending at a gateway and a service of its own.
type trial struct {
	ending
	// name is its test's. commits: the service carries the request out before it ends it so.
	name    string
	commits bool

	// next is the handler behind the gateway, more the other sites that it needs.
	next, more string
	// hits is how often the service was asked. call sends the invoice, codeOf reads its code in an answer.
	hits   func() int64
	call   func() caddytest.Response
	codeOf func(*testing.T, caddytest.Response) string
	// came receives the answer to the first call.
	came chan caddytest.Response
}

// makingSure are the options of these gateways. An invoice that the service does not have counts as not
// issued after half of the time: the other half is for a busy machine to ask once more.
var makingSure = []string{"recover within 20s", "replay on", "upstream_timeout 20s"}

// trialsOf returns the trials of each ending that may have come so: of what proves something, a commit
// would be a lie.
func trialsOf(t *testing.T, endings map[string]ending) (all []*trial) {
	t.Helper()
	for name, e := range endings {
		reading := outcome.ReadingOf(e.kind)
		for _, commits := range []bool{true, false} {
			if commits && reading.Proof != outcome.ProvesNothing && !reading.Checked {
				continue
			}
			if e.kind == outcome.Unread && leavesOut(t, name, commits) {
				continue
			}
			all = append(all, &trial{ending: e, name: fmt.Sprintf("%s/%v", name, commits), commits: commits, came: make(chan caddytest.Response, 1)})
		}
	}
	return all
}

// leavesOut reports whether an ending that cannot be read is left out: below a factor of 2 the service has either
// carried out the request or not, and below 1 half of the endings do. All unreadable answers take the same way
// through the gateway; the kinds that can be read are always tried.
func leavesOut(t *testing.T, name string, commits bool) bool {
	t.Helper()
	switch sum, factor := crc32.ChecksumIEEE([]byte(name)), testrun.Factor(t); {
	case factor >= 2:
		return false
	case factor >= 1:
		return commits != (sum%2 == 0)
	default:
		return commits != (sum%2 == 0) || sum/2%2 == 0
	}
}

// waits reports whether the client's answer has to wait until the service can be at work no more.
func (e *trial) waits() bool {
	reading := outcome.ReadingOf(e.kind)
	return !e.commits && reading.Proof == outcome.ProvesNothing && !reading.Ended
}

// eachEnding tries each ending. begin makes its service. One configuration has all gateways, and the
// clients that have to wait do so at the same time.
func eachEnding(t *testing.T, endings map[string]ending, begin func(s *caddytest.Site, e *trial)) {
	t.Helper()
	trials := trialsOf(t, endings)
	var head, all string
	var s *caddytest.Site
	for _, e := range trials {
		s = caddytest.NewSite(t)
		begin(s, e)
		var sites string
		head, sites, _ = strings.Cut(s.Config(s.WithAudit(makingSure...), e.next), "\n}\n")
		all += sites + e.more
	}
	s.Load(head + "\n}\n" + all)
	for _, e := range trials {
		if e.waits() {
			go func() {
				defer close(e.came)
				e.came <- e.call()
			}()
		}
	}
	for _, waits := range []bool{false, true} {
		for _, e := range trials {
			if e.waits() != waits {
				continue
			}
			t.Run(e.name, func(t *testing.T) {
				if !waits {
					e.came <- e.call()
				}
				e.check(t, <-e.came)
			})
		}
	}
	for _, e := range trials {
		if e.waits() {
			<-e.came // also where -run has left its test out: its client must not be cut off by the end
		}
	}
}
