// Package postgres keeps access tickets in PostgreSQL, for gateways that share a certificate: one
// of them logs in, and all have its ticket. Operators read docs/several-gateways.md.
//
// The table wsaa_tickets has a row for each entry, with its holder. Each method is one statement, and
// a transaction by itself. Done twice it does the same, so that it is run again after a connection was
// lost. Leases run by the server's clock, and are bound to no connection.
//
// The SQL is what PostgreSQL, CockroachDB, YugabyteDB and Citus document. It is tested on PostgreSQL
// alone.
package postgres
