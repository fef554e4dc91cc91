// Package postgres is what the stores on PostgreSQL have in common: the connection, its
// migrations, and which errors may be tried again. It is internal, and stands beside the
// rooms of the design, because audit/postgres and backend/postgres may not know each
// other, and neither is to own what the other needs.
//
// The SQL of all stores is what PostgreSQL, CockroachDB, YugabyteDB and Citus document:
// no session advisory locks, no LISTEN, no sequences whose order means something. A
// transaction that meets SQLSTATE 40001 is run again; so is one whose connection was lost
// before it could have been committed. A commit of which nobody knows whether it
// happened is an error that says so (ErrUncertain).
package postgres
