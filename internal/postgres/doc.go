// Package postgres is what the stores on PostgreSQL have in common: the connection, its
// migrations, and which errors may be tried again. It is internal because audit/postgres
// and backend/postgres may not import each other, and neither should own what the other
// needs.
//
// The SQL of all stores is what PostgreSQL, CockroachDB, YugabyteDB and Citus document:
// no session advisory locks, no LISTEN, no sequences whose order means something. A
// transaction that meets SQLSTATE 40001 is run again; so is one whose connection was lost
// before it could have been committed. If it is uncertain whether a commit happened, the
// error is ErrUncertain.
package postgres
