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
	"github.com/fielato/fielato/once"
)

// logName returns the name of the log that this gateway writes: the one that the
// configuration says, or the host's at first start, which stays with the store.
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

// claimMargin is how long after the end of another process's claim it is taken for renewed,
// and how often it is tried meanwhile: it may be given up.
const claimMargin = time.Second

// longestClaim bounds for how long a start waits for a claim that a crash has left.
const longestClaim = time.Minute

// Claim makes this process the one that writes the log, nil where the store is nobody
// else's. A claim that its holder does not renew is one of a process that has died, mostly
// of this gateway before it was started again: it is waited for. One that is renewed is
// that of a living process, and the start fails.
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
			trailLogger().Warn("waiting for the claim of a process that is gone, or is alive after all",
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

// processName names this process for the people who are refused for it.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unnamed host"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// share returns what makes the keeper one of several, nil where the store is nobody else's.
func (t *Trail) share() (gate *once.LeaseManager, logs func(context.Context) ([]string, error)) {
	leases, ok := t.Store.(audit.Leases)
	if !ok {
		return nil, nil
	}
	// A process that was started again is another holder: what it knew is gone.
	gate = once.NewLeaseManager(leases, t.Log+" "+rand.Text(), func(err error) {
		trailLogger().Warn("series are shared with other gateways, and the store does not answer about them", zap.Error(err))
	})
	return gate, t.Store.Logs
}
