package outcome

// The decisions about a request.
const (
	// DecisionForward: it was forwarded.
	DecisionForward = "forward"
	// DecisionRefuse: it was refused.
	DecisionRefuse = "refuse"
	// DecisionReplay: it got the same answer as an identical request before.
	DecisionReplay = "replay"
	// DecisionCache: it was answered from the cache.
	DecisionCache = "cache"
	// DecisionAsk: it was a query of the gateway itself.
	DecisionAsk = "ask"
)
