package gateway

import "github.com/fielato/fielato/caddymodule/binding"

// reserveBody reserves memory for work on the body, or drops it.
func (x *exchange) reserveBody() *binding.Refusal {
	full := x.stay.Work(x.r.Context(), len(x.body))
	if full != nil {
		x.body = nil
	}
	return full
}
