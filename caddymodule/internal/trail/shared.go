package trail

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/once/lease"
)

// logName returns the name of the log that this gateway writes: the configured one, or the name
// of the host at first start, which stays with the store.
func logName(ctx context.Context, store audit.Store, said string) (string, error) {
	if said != "" {
		return said, nil
	}
	name, err := store.Secret(ctx, LogNameKey, func() ([]byte, error) {
		host, err := os.Hostname()
		return []byte(host), err
	})
	if err != nil {
		return "", fmt.Errorf("reading the log's name: %w", err)
	}
	return string(name), nil
}

// claimMargin is how long after its end a claim of another process is waited for before it is
// taken to be renewed. It is also the pause between attempts, as a claim may be released early.
const claimMargin = time.Second

// longestClaim bounds how long a start waits for the claim of a crashed process.
const longestClaim = time.Minute

// Claim makes this process the only writer of the log. It returns nil if the store is not
// shared. A claim that is not renewed belongs to a dead process, mostly to this gateway before
// its restart: Claim waits for its end. A claim that is renewed belongs to a living process, and
// Claim fails.
func Claim(ctx context.Context, store audit.Store, log string) (audit.Claim, error) {
	claimer, ok := store.(audit.Claimer)
	if !ok {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestClaim+AppendTimeout)
	defer cancel()
	var first *audit.TakenError
	var giveUpAt time.Time
	for {
		claimed, err := claimer.Claim(ctx, log, processName())
		var taken *audit.TakenError
		if !errors.As(err, &taken) {
			return claimed, err
		}
		if first == nil {
			left := taken.Left + claimMargin
			if left > longestClaim {
				return nil, err
			}
			first, giveUpAt = taken, time.Now().Add(left)
			trailLogger().Warn("waiting for the claim of another process, which may have died, to expire",
				zap.String("log", log), zap.String("holder", taken.Holder), zap.Duration("at_most", left))
		}
		if !time.Now().Before(giveUpAt) && taken.Until.After(first.Until) {
			return nil, err
		}
		timer := time.NewTimer(claimMargin)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		}
	}
}

// processName names this process for the people whose start is refused because of it.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// share returns the lease manager and the logs that the coordinator needs where several gateways share the
// store. Otherwise gate is nil, and logs returns the predecessors that this log goes on after.
func (t *Trail) share(predecessors []string) (gate *lease.Manager, logs func(context.Context) ([]string, error)) {
	leases, ok := t.Store.(audit.Leases)
	switch {
	case !ok && predecessors == nil:
		return nil, nil
	case !ok:
		return nil, func(context.Context) ([]string, error) { return predecessors, nil }
	}
	// A process that was started again is another holder: what it knew is gone.
	return lease.New(leases, t.Log+" "+rand.Text(), clocks.Now, func(err error) {
		level, message := zap.WarnLevel, "the store does not answer about the series shared with other gateways"
		if err == nil {
			level, message = zap.InfoLevel, "the store answers again about the series shared with other gateways"
		}
		trailLogger().Log(level, message, zap.Error(err))
	}), t.Store.Logs
}
