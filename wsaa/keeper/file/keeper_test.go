package file_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// TestAKeeperGoesOnWithItsTicket after a restart: it does not log in again.
func TestAKeeperGoesOnWithItsTicket(t *testing.T) {
	const url, cuit = "https://login.test/ws/services/LoginCms", wsfev1.CUIT(20111111112)
	folder, service, computer := t.TempDir(), wsaatest.NewService(t, time.Now), wsaatest.NewClient(t, wsaatest.Spec{From: time.Now().Add(-time.Hour)})
	c, err := credential.New(computer.Certificate, computer.Key)
	if err != nil {
		t.Fatal(err)
	}
	seal, err := keeper.NewSeal(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	var tokens []wsfev1.Secret
	for range 2 {
		k, err := keeper.New(keeper.Config{
			URL: url, Credential: c, Login: (&client.Client{URL: url, Credential: c, Post: service.Post, Clock: time.Now}).Login,
			CUITs: []wsfev1.CUIT{cuit}, Store: open(t, folder), Seal: seal,
		})
		if err != nil {
			t.Fatal(err)
		}
		k.Start()
		ticket, err := k.Ticket(t.Context(), cuit)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, ticket.Token)
		if err := k.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}
	if attempts := len(service.Attempts()); attempts != 1 || tokens[0] != tokens[1] {
		t.Errorf("%d logins", attempts)
	}
}
