// Package flights has the exchanges under way of a configuration's gateways, and logs what a stop waits for.
package flights
