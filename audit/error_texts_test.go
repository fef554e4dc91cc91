package audit_test

import (
	"context"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestErrorsOfAnAppendEndWithTheirCause, which is what an operator reads in the log.
func TestErrorsOfAnAppendEndWithTheirCause(t *testing.T) {
	s := audittest.NewMemory()
	first, second := openTrail(t, s, audit.Options{}), openTrail(t, s, audit.Options{})
	source := audittest.NewSource(8)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	check := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	_, err := first.Append(ended, source.Issue(1))
	check(err, `appending to log "gateway-1": `+context.Canceled.Error())
	_, err = first.Append(t.Context(), &audit.Record{Kind: 99})
	check(err, "appending a record of kind 99: "+audit.ErrEncoding.Error())
	if _, err := first.Append(t.Context(), source.Issue(1)); err != nil {
		t.Fatal(err)
	}
	_, err = second.Append(t.Context(), source.Issue(1))
	check(err, `appending to log "gateway-1": `+audit.ErrConflict.Error()+": 1 records, the batch starts at 0")
}
