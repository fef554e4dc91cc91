package gateway

import "github.com/fielato/fielato/caddymodule/internal/binding"

// reserveBody reserves memory for work on the body, for whatever may be made of it, or drops it.
func (x *exchange) reserveBody() *binding.Refusal {
	full := x.memory.body.Work(x.r.Context(), binding.MostWeight(x.arrivedBody(), x.call != nil))
	if full != nil {
		x.in.body = nil
		x.call.Release()
	}
	return full
}

// settleBody gives back the memory that was reserved beyond the request's true weight. The request was
// read and judged, and goes on. A refused one ends at once.
func (x *exchange) settleBody() {
	x.memory.body.Settle(binding.Weight(len(x.arrivedBody()), x.in.request, len(x.findings)))
}

// arrivedBody returns the body as it came.
func (x *exchange) arrivedBody() []byte {
	if x.call != nil {
		return x.call.Body
	}
	return x.in.body
}
