// Package exchange is the page of one exchange: what happened, step by step, and what was said.
package exchange
