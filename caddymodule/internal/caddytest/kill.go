package caddytest

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

// ErrRefused is an answer that no request of this test should get.
var ErrRefused = errors.New("an answer that was not expected")

// KillClients is how many clients are at work when a process is killed; KillSeed seeds when.
const (
	KillClients = 32
	KillSeed    = 20261106
)

// KillsOf is how often a process is killed: in the short form twice under load and once
// while it starts.
func KillsOf(t *testing.T) int {
	t.Helper()
	return testrun.Size(t, 3, 12)
}

// Mortal is a process that is killed and started again, always with the same files.
// The test's goroutine alone uses it.
type Mortal struct {
	T       *testing.T
	config  string
	random  *rand.Rand
	startup time.Duration // the duration of the last start
}

// NewMortal returns a process that is not started yet, with its Caddyfile.
func NewMortal(t *testing.T, config string) *Mortal {
	return &Mortal{T: t, config: config, random: rand.New(rand.NewPCG(KillSeed, 0))}
}

// Start starts the process, which must open its files whatever happened to it.
func (m *Mortal) Start() *ServiceProcess {
	m.T.Helper()
	began := time.Now()
	process := StartService(m.T, m.config)
	if _, err := process.Ready(); err != nil {
		process.Kill()
		m.T.Fatalf("it does not start again: %v: %s", err, &process.Stderr)
	}
	m.startup = time.Since(began)
	return process
}

// DieStarting kills the process at some moment of its start.
func (m *Mortal) DieStarting() {
	process := StartService(m.T, m.config)
	timer := time.AfterFunc(time.Duration(m.random.Int64N(int64(m.startup))), process.Kill)
	defer timer.Stop()
	_, _ = process.Ready()
	process.Kill()
}

// DieUnderLoad lets clients work and kills the process at some moment after some piece
// of work, the last of most at the latest. newClient returns what one of them does again
// and again, until there is an error.
func (m *Mortal) DieUnderLoad(process *ServiceProcess, most int64, newClient func(worker int, http *http.Client) func(context.Context) error) {
	ctx, cancel := context.WithTimeout(m.T.Context(), time.Minute)
	defer cancel()
	transport := &http.Transport{MaxIdleConnsPerHost: KillClients}
	defer transport.CloseIdleConnections()
	last := 1 + m.random.Int64N(most)
	delay := time.Duration(m.random.Int64N(int64(5 * time.Millisecond)))
	var done atomic.Int64
	var wait sync.WaitGroup
	for worker := range KillClients {
		wait.Go(func() {
			work := newClient(worker, &http.Client{Transport: transport})
			for work(ctx) == nil {
				if done.Add(1) == last {
					time.AfterFunc(delay, process.Kill)
				}
			}
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		m.T.Fatalf("only %d of %d pieces of work were done within a minute", done.Load(), last)
	}
	process.Kill()
}
