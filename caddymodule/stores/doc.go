// Package stores has the modules for where data is kept: the stores of the trail
// (http.handlers.wsfev1.stores) and the ledgers of the built-in service
// (http.handlers.wsfev1_backend.ledgers), in SQLite and in PostgreSQL.
//
// A module reads its part of the configuration and opens a store. The caller owns what it
// opens.
package stores
