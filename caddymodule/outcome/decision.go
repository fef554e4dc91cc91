package outcome

// What was decided about a request.
const (
	DecisionForward = "forward"
	DecisionRefuse  = "refuse"
	// decisionReplay: it was answered as the same request was before.
	DecisionReplay = "replay"
	// decisionCache: it was answered as the same question was a while ago.
	DecisionCache = "cache"
	// decisionAsk: the gateway asked of its own accord.
	DecisionAsk = "ask"
)
