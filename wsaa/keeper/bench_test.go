package keeper_test

import (
	"context"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// BenchmarkTicket: a ticket at hand costs next to nothing.
func BenchmarkTicket(b *testing.B) {
	now := time.Now()
	c := config(b, wsaatest.Spec{From: now.Add(-time.Hour)})
	token, sign, err := wsaa.NewTicket(now, 12*time.Hour, "wsfe", first, second)
	if err != nil {
		b.Fatal(err)
	}
	c.Clock = time.Now
	c.Login = func(context.Context, string, time.Duration) (client.Result, error) {
		return client.Result{Ticket: &client.Ticket{
			Token: token, Sign: sign, Service: "wsfe", Generation: now, Expiration: now.Add(12 * time.Hour), Known: true, Relations: []wsfev1.CUIT{first, second},
		}}, nil
	}
	k, err := keeper.New(c)
	if err != nil {
		b.Fatal(err)
	}
	set, err := keeper.NewSet(k)
	if err != nil {
		b.Fatal(err)
	}
	set.Start()
	defer func() { _ = set.Close(context.Background()) }()
	ctx := context.Background()
	if _, err := set.Ticket(ctx, "wsfe", first); err != nil {
		b.Fatal(err)
	}
	b.Run("clock alone", func(b *testing.B) { // the part that is not ours
		for b.Loop() {
			_ = c.Clock()
		}
	})
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := set.Ticket(ctx, "wsfe", first); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("many", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := set.Ticket(ctx, "wsfe", first); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
