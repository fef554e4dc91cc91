package caddymodule_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

// errRefused is an answer that no request of this test should get.
var errRefused = errors.New("an answer that was not expected")

const (
	killClients = 32
	killSeed    = 20261106
)

// killsOf is how often a process is killed: in the short form twice under load and once
// while it starts.
func killsOf(t *testing.T) int {
	t.Helper()
	return testrun.Size(t, 3, 20)
}

// mortal is a process that is killed and started again, always with the same files.
// The test's goroutine alone uses it.
type mortal struct {
	t       *testing.T
	config  string
	random  *rand.Rand
	startup time.Duration // what the last start took
}

func newMortal(t *testing.T, config string) *mortal {
	return &mortal{t: t, config: config, random: rand.New(rand.NewPCG(killSeed, 0))}
}

// start starts the process, which must open its files whatever happened to it.
func (m *mortal) start() *serviceProcess {
	m.t.Helper()
	began := time.Now()
	process := startService(m.t, m.config)
	if _, err := process.ready(); err != nil {
		process.kill()
		m.t.Fatalf("it does not start again: %v: %s", err, &process.stderr)
	}
	m.startup = time.Since(began)
	return process
}

// dieStarting kills the process at some moment of its start.
func (m *mortal) dieStarting() {
	process := startService(m.t, m.config)
	timer := time.AfterFunc(time.Duration(m.random.Int64N(int64(m.startup))), process.kill)
	defer timer.Stop()
	_, _ = process.ready()
	process.kill()
}

// dieUnderLoad lets clients work and kills the process at some moment after some piece
// of work, the last of most at the latest. newClient returns what one of them does again
// and again, until there is an error.
func (m *mortal) dieUnderLoad(process *serviceProcess, most int64, newClient func(worker int, http *http.Client) func(context.Context) error) {
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	transport := &http.Transport{MaxIdleConnsPerHost: killClients}
	defer transport.CloseIdleConnections()
	last := 1 + m.random.Int64N(most)
	delay := time.Duration(m.random.Int64N(int64(5 * time.Millisecond)))
	var done atomic.Int64
	var wait sync.WaitGroup
	for worker := range killClients {
		wait.Go(func() {
			work := newClient(worker, &http.Client{Transport: transport})
			for work(ctx) == nil {
				if done.Add(1) == last {
					time.AfterFunc(delay, process.kill)
				}
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		m.t.Fatalf("only %d of %d pieces of work were done within a minute", done.Load(), last)
	}
	process.kill()
}
