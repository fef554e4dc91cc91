// Package totalscmd has the command that closes a month: `audit totals`.
package totalscmd
