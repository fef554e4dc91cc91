// Package command is `fielato wsfev1` with the commands that read no trail: a Caddyfile to start from, the
// rules, the check and the conversion of files, the ledger of the built-in service, the migration of
// databases, tickets for tests, and the OpenAPI document.
package command
