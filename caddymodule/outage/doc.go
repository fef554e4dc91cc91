// Package outage knows whether a service answers.
//
// A Breaker opens after failures in a row, and lets one request try after each rest. A
// Monitor has the breaker of one service and what is known of its failures; it writes a
// record when an outage begins and when it ends, to a Journal. Monitors are those of one
// journal: they outlive configurations, so that a reload neither closes a breaker nor
// forgets an outage, and a restart takes up those that last.
package outage
