package postgres_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsaa/keeper/postgres"
	"github.com/fielato/fielato/wsfev1"
)

// cuit is the CUIT in the certificate.
const cuit = wsfev1.CUIT(20111111112)

// node is a Keeper of the computer's certificate on a store. It ends with the test.
func node(t *testing.T, service *wsaatest.Service, computer *wsaatest.Client, store *postgres.Store) *keeper.Keeper {
	t.Helper()
	const url = "https://login.test/ws/services/LoginCms"
	c, err := credential.New(computer.Certificate, computer.Key)
	if err != nil {
		t.Fatal(err)
	}
	seal, err := keeper.NewSeal(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	k, err := keeper.New(keeper.Config{
		URL: url, Credential: c, Login: (&client.Client{URL: url, Credential: c, Post: service.Post, Clock: time.Now}).Login,
		CUITs: []wsfev1.CUIT{cuit}, Store: store, Seal: seal,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return k
}

// TestThreeNodesLogInOnce: they start together on one database and use one ticket, which is sealed in
// it. So does a node that comes later.
func TestThreeNodesLogInOnce(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	service, computer := wsaatest.NewService(t, time.Now), wsaatest.NewClient(t, wsaatest.Spec{From: time.Now().Add(-time.Hour)})
	service.Took = 100 * time.Millisecond
	var nodes []*keeper.Keeper
	for range 3 {
		nodes = append(nodes, node(t, service, computer, open(t, dsn)))
	}
	for _, k := range nodes {
		k.Start()
	}
	var token wsfev1.Secret
	for i := range 4 {
		if i == 3 {
			nodes = append(nodes, node(t, service, computer, open(t, dsn)))
			nodes[i].Start()
		}
		ticket, err := nodes[i].Ticket(t.Context(), cuit)
		switch {
		case err != nil:
			t.Fatal(err)
		case i == 0:
			token = ticket.Token
		case ticket.Token != token:
			t.Errorf("node %d has another ticket", i)
		}
	}
	if attempts := service.Attempts(); len(attempts) != 1 || service.Granted() != 1 {
		t.Errorf("%d attempts, %d granted", len(attempts), service.Granted())
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var rows, open int
	err = conn.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE position($1::BYTEA IN entry) > 0) FROM wsaa_tickets", []byte(token.Reveal())).Scan(&rows, &open)
	if err != nil || rows != 1 || open != 0 {
		t.Errorf("%d entries, %d in the clear: %v", rows, open, err)
	}
}
