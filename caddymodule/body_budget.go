package caddymodule

// enterBodies waits until the body may be worked on. One that may not is let go of unread.
func (x *exchange) enterBodies() *fault {
	full := x.stay.work(x.r.Context(), len(x.body))
	if full != nil {
		x.body = nil
	}
	return full
}
