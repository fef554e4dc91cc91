// Package find reads what a person writes into the one box of the console: an issuer, a CAE, an invoice,
// a record's address, an exchange, a code, a day, or some of these beside each other.
package find
