// Package gateway is the handler wsfev1: the life of one exchange.
//
// An exchange is a request and its outcome. It is born when a request is admitted; steps
// read it, judge it, take its turn in its series, write down that it will be sent, forward
// it, and read the answer. Each step may end it with an answer of its own. It is then
// recorded, counted and answered, in this order: no answer reaches a client before its
// record is durable. The gateway asks questions of its own the same way, as exchanges.
//
// A Gateway is the configuration and the steps. It holds nothing between exchanges: what
// lasts is in the trail.
package gateway
