package caddymodule

// What was decided about a request.
const (
	decisionForward = "forward"
	decisionRefuse  = "refuse"
	// decisionReplay: it was answered as the same request was before.
	decisionReplay = "replay"
	// decisionCache: it was answered as the same question was a while ago.
	decisionCache = "cache"
	// decisionAsk: the gateway asked of its own accord.
	decisionAsk = "ask"
)
