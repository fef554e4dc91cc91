// Package command is `fielato wsfev1`. It puts the commands together, and has those that read no trail: a
// Caddyfile to start from, the rules, the check and the conversion of files, the ledger of the built-in
// service, the migration of databases, tickets for tests, and the OpenAPI document.
package command
