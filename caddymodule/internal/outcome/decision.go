package outcome

// Decision is what the gateway did with a request, one word.
type Decision string

// The decisions about a request.
const (
	// DecisionForward: it was forwarded.
	DecisionForward Decision = "forward"
	// DecisionRefuse: it was refused.
	DecisionRefuse Decision = "refuse"
	// DecisionReplay: it got the same answer as an identical request before.
	DecisionReplay Decision = "replay"
	// DecisionCache: it was answered from the cache.
	DecisionCache Decision = "cache"
	// DecisionAsk: it was a query of the gateway itself.
	DecisionAsk Decision = "ask"
)

// Decisions are all decisions.
var Decisions = []Decision{DecisionForward, DecisionRefuse, DecisionReplay, DecisionCache, DecisionAsk}
