package postgres

import "github.com/fielato/fielato/internal/postgres"

// Migrations are the table of the tickets. It is a component of its own: a gateway that shares no
// tickets needs none.
var Migrations = &postgres.Migrations{Component: "tickets", Steps: []string{schema1}}

// schema1: holder is empty and held_until NULL if nobody holds the name. entry is sealed, NULL if there
// is none yet.
const schema1 = `
CREATE TABLE wsaa_tickets (
	name       TEXT PRIMARY KEY,
	holder     TEXT NOT NULL,
	held_until TIMESTAMPTZ,
	entry      BYTEA
)`

// GatewayGrants are the rights of a gateway, beside those on the trail. No other role has any: not a
// reader of the trail, nor one that purges it.
const GatewayGrants = `GRANT SELECT ON fielato_migrations TO fielato_gateway;
GRANT SELECT, INSERT, UPDATE ON wsaa_tickets TO fielato_gateway`
