package publiclog

import (
	"context"
	"errors"
	"testing"
)

// TestReadersWaitForEachOther: a third one waits for its turn, and not for ever.
func TestReadersWaitForEachOther(t *testing.T) {
	for range cap(reading) {
		reading <- struct{}{}
		defer func() { <-reading }()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(Log).read(ctx, nil, "gateway-1", tileAt{}, false); !errors.Is(err, errBusy) {
		t.Errorf("%v", err)
	}
}
