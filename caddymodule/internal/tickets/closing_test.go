package tickets

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// TestKeepersCloseAtTheSameTime: with a login service that hangs, a stop takes as long as with one keeper, however
// many customers there are.
func TestKeepersCloseAtTheSameTime(t *testing.T) {
	cuits := []string{"20111111112", "20222222223", "20333333334"}
	credentials := make([]*credential.Credential, len(cuits))
	for i, cuit := range cuits {
		made := wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject(cuit, "prueba"), From: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
		var err error
		if credentials[i], err = credential.New(made.Certificate, made.Key); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		all := make([]*pooled, len(cuits))
		for i, cuit := range cuits {
			number, err := wsfev1.ParseCUIT(cuit)
			if err != nil {
				t.Fatal(err)
			}
			k, err := keeper.New(keeper.Config{
				URL: "https://login.test", Credential: credentials[i], CUITs: []wsfev1.CUIT{number}, Store: new(keeper.Memory),
				Login: func(ctx context.Context, _ string, _ time.Duration) (client.Result, error) {
					<-ctx.Done()
					return client.Result{}, ctx.Err()
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			k.Start()
			all[i] = &pooled{keeper: k, closed: make(chan struct{})}
		}
		synctest.Wait()
		began := time.Now()
		for _, p := range all {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		(&Keepers{}).Stop()
		if took := time.Since(began); took != closeWithin {
			t.Errorf("%d keepers have closed in %v, want %v", len(all), took, closeWithin)
		}
		if left := closing.All(); len(left) > 0 {
			t.Errorf("%d keepers are being closed still", len(left))
		}
	})
}
