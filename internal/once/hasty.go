package once

import (
	"context"
	"errors"
	"fmt"
)

// unreachedTries is how often in a row a question may fail to reach the service before the
// request that waits for it is turned away. Nothing was sent for that request, so its client
// loses nothing by an early answer. Turn.Recover is more patient: its client has lost an answer.
const unreachedTries = 3

// errDown: asking again at once would be of no use.
var errDown = errors.New("nobody takes connections at the service's address")

// hasty is a Service that soon gives up one which cannot be reached. It serves one settlement.
type hasty struct {
	Service
	unreached int // in a row
}

// Ask implements Service.
func (h *hasty) Ask(ctx context.Context, operation string, request any) (Reply, error) {
	reply, err := h.Service.Ask(ctx, operation, request)
	if !errors.Is(err, ErrUnreached) {
		h.unreached = 0
		return reply, err
	}
	if h.unreached++; h.unreached >= unreachedTries {
		err = fmt.Errorf("%w: %w", errDown, err)
	}
	return Reply{}, err
}
