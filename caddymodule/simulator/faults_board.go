package simulator

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/validate"
)

// FaultBoard holds the faults of the built-in service in one configuration. All its
// wsfev1_backend handlers share it, as there is one service.
//
// Faults that the admin API has set, and their counts, outlive a reload if both configurations
// declare the same faults.
type FaultBoard struct {
	Logger *zap.Logger
	// declared is the list of the configuration. It is fixed once that has started.
	declared FaultList
	// Injector is replaced as a whole.
	Injector atomic.Pointer[Injector]

	// stopped is closed when the configuration goes, and ends all waiting.
	stopped chan struct{}
	stop    func()
}

// shareFaults returns the board of the configuration, with the list of one of its handlers on
// it.
func shareFaults(ctx caddy.Context, a *app.App, list FaultList) (*FaultBoard, error) {
	fresh, err := NewInjector(list)
	if err != nil {
		return nil, err
	}
	board, err := boardOf(ctx, a)
	if err != nil {
		return nil, err
	}
	switch {
	case reflect.DeepEqual(list, FaultList{}), reflect.DeepEqual(list, board.declared):
		return board, nil
	case !reflect.DeepEqual(board.declared, FaultList{}):
		return nil, errors.New("fault: another wsfev1_backend of this configuration has other faults: all handlers share one list")
	}
	board.declared = list
	board.Injector.Store(fresh)
	return board, nil
}

// boardKey is the key under which handlers share the board.
type boardKey struct{}

// BoardIn returns the board of a configuration, nil if it has none.
func BoardIn(a *app.App) *FaultBoard {
	board, _ := app.LookUp[*FaultBoard](a, boardKey{})
	return board
}

// boardOf returns the board of the configuration; the first handler makes it.
func boardOf(ctx caddy.Context, a *app.App) (*FaultBoard, error) {
	if board := BoardIn(a); board != nil {
		return board, nil
	}
	board := &FaultBoard{Logger: ctx.Logger(), stopped: make(chan struct{})}
	board.stop = sync.OnceFunc(func() { close(board.stopped) })
	board.Injector.Store(new(Injector))
	// A process that ends waits for its requests before it cleans up, so a request that
	// hangs must learn of the end earlier.
	events, err := ctx.App("events")
	if err != nil {
		return nil, fmt.Errorf("loading the events app: %w", err)
	}
	if err := events.(*caddyevents.App).On("stopping", endOfWaiting{board.stop}); err != nil {
		return nil, fmt.Errorf("subscribing to the end of the configuration: %w", err)
	}
	a.Open(board)
	return app.Shared(a, boardKey{}, func() *FaultBoard { return board }), nil
}

// endOfWaiting handles Caddy's event of a configuration that is about to stop.
type endOfWaiting struct{ stop func() }

// Handle implements caddyevents.Handler.
func (e endOfWaiting) Handle(context.Context, caddy.Event) error {
	e.stop()
	return nil
}

// Start puts the board in force. It takes over the faults of the configuration before if both
// declare the same.
func (b *FaultBoard) Start() error {
	var before *FaultBoard
	app.EachRunning(func(a *app.App) { // this one is the last of them
		switch board := BoardIn(a); {
		case board == nil:
		case board != b:
			before = board
		case before != nil && reflect.DeepEqual(before.declared, b.declared):
			b.Injector.Store(before.Injector.Load())
		}
	})
	if kinds := b.Injector.Load().Active(); len(kinds) > 0 {
		b.Logger.Warn("faults are on: the built-in service fails on purpose", zap.Strings("faults", kinds))
	}
	return nil
}

// Stop ends all waiting.
func (b *FaultBoard) Stop() { b.stop() }

// inject returns the injection for a request, nil if no fault hits it.
func (b *FaultBoard) inject(request *validate.Request) *injection {
	j := b.Injector.Load()
	hit, last := j.decide(request)
	if hit == nil {
		return nil
	}
	hit.board = b
	faultsInjected.WithLabelValues(hit.kind.name).Inc()
	if last {
		b.Logger.Warn("a fault has struck for the last time",
			zap.String("fault", hit.kind.name), zap.Strings("faults", j.Active()))
	}
	return hit
}

// ReplaceFaults replaces the faults in force, in every running configuration: one that is being
// replaced may be the one that stays.
func ReplaceFaults(j *Injector) {
	app.EachRunning(func(a *app.App) {
		if board := BoardIn(a); board != nil {
			board.Injector.Store(j)
		}
	})
}

// wait waits for d. It returns false if the request ended first. If the configuration ends, it
// returns true at once, and late answers are sent without delay.
func (b *FaultBoard) wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.stopped:
	case <-ctx.Done():
		return false
	}
	return true
}

// hold waits until the request or the configuration ends.
func (b *FaultBoard) hold(ctx context.Context) {
	select {
	case <-b.stopped:
	case <-ctx.Done():
	}
}

// Interface guards
var _ caddyevents.Handler = endOfWaiting{}
