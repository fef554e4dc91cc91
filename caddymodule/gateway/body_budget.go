package gateway

import "github.com/fielato/fielato/caddymodule/binding"

// reserveBody reserves memory for work on the body, or drops it.
func (x *exchange) reserveBody() *binding.Refusal {
	full := x.memory.body.Work(x.r.Context(), len(x.in.body))
	if full != nil {
		x.in.body = nil
	}
	return full
}
