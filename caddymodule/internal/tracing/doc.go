// Package tracing has what an exchange does for traces: the trace that its request is a part of, which is
// recorded with or without Caddy's tracing, and its spans where Caddy's tracing records the request.
package tracing
