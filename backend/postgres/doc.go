// Package postgres keeps the ledger in PostgreSQL.
package postgres
