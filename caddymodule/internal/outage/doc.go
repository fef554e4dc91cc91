// Package outage finds out whether a service answers.
//
// A Breaker opens after failures in a row, and lets one request probe the service after each cooldown. A
// Monitor has the breaker of one service and the facts about its failures; it writes a record to a Journal
// when an outage begins and when it ends. Monitors has the monitors of one journal. They outlive
// configurations, so that a reload neither closes a breaker nor forgets an outage. After a restart, Recall
// restores the outages that had not ended.
package outage
