package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// hold begins a transaction that has locked the row of gateway-1, as a commit does, and has
// done something more. The function that it returns commits it.
func hold(t *testing.T, dsn, statement string) (end func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, "SELECT 1 FROM audit_leases WHERE name = 'write gateway-1' FOR UPDATE")
	}
	if err == nil {
		_, err = tx.Exec(ctx, statement)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Commit(ctx); err != nil {
			t.Error(err)
		}
		if err := conn.Close(ctx); err != nil {
			t.Error(err)
		}
	}
}
