package gateway

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/zap"
)

// TestWhoIsTurnedAwayLearnsTheOutcome, as all others do.
func TestWhoIsTurnedAwayLearnsTheOutcome(t *testing.T) {
	w := httptest.NewRecorder()
	if err := (&Gateway{alarm: zap.NewNop()}).turnAway(w, errors.New("the store is not open")); err != nil {
		t.Fatal(err)
	}
	if got := w.Header(); w.Code != http.StatusServiceUnavailable || got.Get("Wsfev1-Outcome") != "unrecorded" || got.Get("Retry-After") == "" ||
		got.Get("Wsfev1-Record") != "" {
		t.Errorf("%d %v %s", w.Code, got, w.Body)
	}
}
