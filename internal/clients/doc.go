// Package clients decides which client of a gateway may send which request, and which reader may see the
// records of which issuers.
//
// A Table is made of rows, each the texts of one client or reader as somebody has written them. It is found
// by what was proven about who asks (Identity), never by what a request says of itself. A table does not
// change: whoever changes the rows makes another one. Its canonical text is evidence, so that it can be shown
// later under which table a request was sent.
//
// It is a package of its own because gateway, console, admin API and commands ask the same table.
package clients
