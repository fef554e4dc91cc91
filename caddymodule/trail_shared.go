package caddymodule

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
	name, err := store.Secret(ctx, logNameKey, func() ([]byte, error) {
		host, err := os.Hostname()
		return []byte(host), err
	})
	if err != nil {
		return "", fmt.Errorf("reading the log's name: %w", err)
	}
	return string(name), nil
}

// claimMargin is how long after the end of another process's claim it is tried once more.
const claimMargin = time.Second

// longestClaim bounds for how long a start waits for a claim that a crash has left.
const longestClaim = time.Minute

// claim makes this process the one that writes the log, nil where the store is nobody
// else's. A claim that its holder does not renew is one of a process that has died, mostly
// of this gateway before it was started again: it is waited for. One that is renewed is
// that of a living process, and the start fails.
func claim(store audit.Store, log string) (audit.Claim, error) {
	claimer, ok := store.(audit.Claimer)
	if !ok {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestClaim+appendTimeout)
	defer cancel()
	var before *audit.TakenError
	for {
		claimed, err := claimer.Claim(ctx, log, processName())
		var taken *audit.TakenError
		if !errors.As(err, &taken) {
			return claimed, err
		}
		left := taken.Left + claimMargin
		if before != nil && taken.Until.After(before.Until) || left > longestClaim {
			return nil, err
		}
		before = taken
		trailLogger().Warn("waiting for the claim of a process that is gone, or is alive after all",
			zap.String("log", log), zap.String("holder", taken.Holder), zap.Duration("at_most", left))
		timer := time.NewTimer(max(left, claimMargin))
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
func (t *trail) share() (gate *once.Gate, logs func(context.Context) ([]string, error)) {
	leases, ok := t.store.(audit.Leases)
	if !ok {
		return nil, nil
	}
	// A process that was started again is another holder: what it knew is gone.
	gate = once.NewGate(leases, t.log+" "+rand.Text(), func(err error) {
		trailLogger().Warn("series are shared with other gateways, and the store does not answer about them", zap.Error(err))
	})
	return gate, t.store.Logs
}
