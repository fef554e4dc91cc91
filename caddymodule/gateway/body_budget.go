package gateway

import "github.com/fielato/fielato/caddymodule/binding"

// enterBodies waits until the body may be worked on. One that may not is let go of unread.
func (x *exchange) reserveBody() *binding.Refusal {
	full := x.stay.Work(x.r.Context(), len(x.body))
	if full != nil {
		x.body = nil
	}
	return full
}
