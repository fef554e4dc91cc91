package exchange

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// turnedAway is the answer to a request for a path while no trail is open.
func turnedAway(t *testing.T, path, media string) *httptest.ResponseRecorder {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, http.NoBody)
	r.Header.Set("Content-Type", media)
	way := &Way{Alarm: zap.NewNop(), Policy: Policy{SOAP: true}}
	if err := way.TurnAway(w, r, errors.New("the store is not open")); err != nil {
		t.Fatal(err)
	}
	if got := w.Header(); got.Get("Wsfev1-Outcome") != "unrecorded" || got.Get("Retry-After") == "" || got.Get("Wsfev1-Record") != "" {
		t.Errorf("%s: %v", path, got)
	}
	return w
}

// TestWhoIsTurnedAwayLearnsTheOutcome, as all others do.
func TestWhoIsTurnedAwayLearnsTheOutcome(t *testing.T) {
	if w := turnedAway(t, "/api/wsfev1/FEDummy", "application/json"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestWhoIsTurnedAwayIsAnsweredInSOAP, if it speaks SOAP.
func TestWhoIsTurnedAwayIsAnsweredInSOAP(t *testing.T) {
	for _, version := range []soap.Version{soap.V11, soap.V12} {
		w := turnedAway(t, "/Prueba/WSFEv1/Service.asmx", version.MediaType())
		answer, err := soap.Parse(wsfev1.OperationByName("FEDummy"), w.Body.Bytes(), "")
		if err != nil || w.Code != http.StatusInternalServerError || answer.Version != version || answer.Fault == nil ||
			answer.Fault.Code != soap.Server || !strings.HasPrefix(answer.Fault.Text, "audit.unavailable: ") {
			t.Errorf("SOAP %s: %d %v %s", version, w.Code, err, w.Body)
		}
	}
}
