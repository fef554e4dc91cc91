package limit_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/limit"
)

// channel is the simplest limit there is, to compare with: a channel of slots. It knows no clients.
type channel struct {
	slots chan struct{}
	leave func()
}

func newChannel(slots int) *channel {
	c := make(chan struct{}, slots)
	return &channel{c, func() { <-c }}
}

func (c *channel) EnterAs(ctx context.Context, _ string, patience time.Duration) (func(), error) {
	select {
	case c.slots <- struct{}{}:
		return c.leave, nil
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case c.slots <- struct{}{}:
		return c.leave, nil
	case <-timer.C:
		return nil, limit.ErrFull
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type enterer interface {
	EnterAs(ctx context.Context, client string, patience time.Duration) (leave func(), err error)
}

// divided returns a limit with so many clients, c0 and on.
func divided(slots, clients int, share limit.Share) *limit.Limit {
	l := limit.NewLimit(slots)
	l.Divide(sharesOf(clients, share))
	return l
}

func sharesOf(clients int, each limit.Share) map[string]limit.Share {
	shares := map[string]limit.Share{}
	for i := range clients {
		shares["c"+strconv.Itoa(i)] = each
	}
	return shares
}

func BenchmarkEnterFree(b *testing.B) {
	for _, c := range []struct {
		name, client string
		limit        enterer
	}{
		{"channel", "", newChannel(256)},
		{"undivided", "", limit.NewLimit(256)},
		{"one client of 10000", "c77", divided(256, 10_000, limit.Share{Slots: 8})},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				leave, err := c.limit.EnterAs(b.Context(), c.client, time.Second)
				if err != nil {
					b.Fatal(err)
				}
				leave()
			}
		})
	}
}

// BenchmarkEnterFull has 100 clients, each with 4 requests at a time, and 8 slots.
func BenchmarkEnterFull(b *testing.B) {
	const clients = 100
	for name, l := range map[string]enterer{
		"channel": newChannel(8), "shares": divided(8, clients, limit.Share{Slots: 2}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			ended := make(chan error)
			for i := range 4 * clients {
				go func() {
					client := fmt.Sprint("c", i%clients)
					var failed error
					for range b.N/(4*clients) + 1 {
						leave, err := l.EnterAs(b.Context(), client, time.Minute)
						if err == nil {
							runtime.Gosched() // another comes meanwhile, and finds no slot free
							leave()
						}
						failed = errors.Join(failed, err)
					}
					ended <- failed
				}()
			}
			for range 4 * clients {
				if err := <-ended; err != nil {
					b.Error(err)
				}
			}
		})
	}
}

// BenchmarkDivide replaces a table of 10,000 clients: nobody enters meanwhile.
func BenchmarkDivide(b *testing.B) {
	shares := sharesOf(10_000, limit.Share{Slots: 8})
	l := limit.NewLimit(256)
	for b.Loop() {
		l.Divide(shares)
	}
}
