package gateway

import "github.com/fielato/fielato/caddymodule/binding"

// reserveBody reserves memory for work on the body, or drops it.
func (x *exchange) reserveBody() *binding.Refusal {
	size := len(x.in.body)
	if x.call != nil {
		size = len(x.call.Body)
	}
	full := x.memory.body.Work(x.r.Context(), size)
	if full != nil {
		x.in.body = nil
		x.call.Release()
	}
	return full
}
