package doctor

import (
	"context"
	"errors"
	"strings"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/stores"
	"github.com/fielato/fielato/internal/postgres"
	keeperpostgres "github.com/fielato/fielato/wsaa/keeper/postgres"
)

// storeResults looks at the store of the tickets of a gateway, if any block uses the trail's. A mistake in
// the address of the trail is left to the check of the trail.
func storeResults(ctx context.Context, k keeping) []result {
	const check = "ticket store"
	inMemory := 0
	for _, o := range k.blocks {
		if o.Store == tickets.StoreMemory {
			inMemory++
		}
	}
	switch {
	case inMemory == len(k.blocks):
		return []result{ok(check, "memory: a restart logs in again, and may wait some minutes for a ticket")}
	case k.gateway.Audit.Store == "postgres":
		at, err := cli.AddressOfStore("store", "postgres:"+strings.TrimPrefix(k.gateway.Audit.DSN, "postgres:"), "")
		if err != nil {
			return nil
		}
		return []result{sharedTickets(ctx, check, at, k.gateway.Audit.Migrate == "auto")}
	}
	path, err := stores.DatabasePath(k.gateway.Audit.Path, stores.AuditFile)
	if err != nil {
		return nil
	}
	if err := app.MayMakeIn(stores.TicketFolder(path)); err != nil {
		return []result{warn(check, "run doctor as the gateway's user; if it is, give it the right to write", "%v", err)}
	}
	return []result{ok(check, "files in %s", stores.TicketFolder(path))}
}

// sharedTickets looks at the table of the tickets, and at the rights on it. The start makes it with
// migrate auto.
func sharedTickets(ctx context.Context, check string, at cli.StoreAddress, auto bool) result {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	store, err := keeperpostgres.Open(ctx, at.Place, keeperpostgres.Options{})
	switch {
	case errors.Is(err, postgres.ErrBehind) && auto:
		return ok(check, "%s lacks the table of tickets; the start makes it (migrate auto)", at)
	case errors.Is(err, postgres.ErrBehind):
		return bad(check, "run `fielato wsfev1 migrate` with a role that may make tables, or write migrate auto in the block of audit", "%s: %v", at, err)
	case err != nil:
		return bad(check, "see what the error names; `fielato wsfev1 migrate --help` has the grants", "%s: %v", at, err)
	}
	defer func() { _ = store.Close() }() // nothing was written
	lacking, err := store.Lacks(ctx)
	switch {
	case err != nil:
		return bad(check, "see what the error names", "%s: %v", at, err)
	case len(lacking) > 0:
		return bad(check, "grant it to the gateway's role: `fielato wsfev1 migrate --help` has the statements",
			"%s: the role has no %s on wsaa_tickets", at, strings.Join(lacking, ", "))
	}
	return ok(check, "%s has the table of tickets, and the role its rights", at)
}
