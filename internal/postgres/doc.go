// Package postgres is the common part of the stores on PostgreSQL: the connection, its migrations,
// and which errors may be tried again. It is internal because audit/postgres and backend/postgres
// may not import each other, and neither should own code that the other needs.
//
// All stores use only SQL that PostgreSQL, CockroachDB, YugabyteDB and Citus document:
// no session advisory locks, no LISTEN, no sequences whose order means something. A
// transaction that meets SQLSTATE 40001 is run again; so is one whose connection was lost
// before it could have been committed. If it is uncertain whether a commit happened, the
// error is ErrUncertain.
package postgres
