package command_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// bodiesOf returns what show prints of a record, from the label of the request on.
func bodiesOf(t *testing.T, store, index string, flags ...string) string {
	t.Helper()
	got := run(append([]string{"audit", "show", index, "--store", "sqlite:" + store}, flags...)...)
	_, bodies, found := strings.Cut(got.out, "\nrequest: ")
	if got.err != nil || !found {
		t.Fatalf("show %s: %v\n%s", index, got.err, got.out)
	}
	return "request: " + bodies
}

// TestShowLabelsTheRequestAndTheAnswer, in this order, of one record or two.
func TestShowLabelsTheRequestAndTheAnswer(t *testing.T) {
	intent, outcome := exchange(), exchange()
	intent.Kind, intent.Answer, intent.AnswerLength = audit.KindIntent, nil, 0
	intent.Outcome, intent.Certainty = "", ""
	outcome.Kind, outcome.Request, outcome.Intent = audit.KindOutcome, nil, 1
	store := trailOf(t, exchange(), intent, outcome)
	const (
		request = "request: application/json, 15 bytes as it came; fingerprints stand for credentials\n"
		answer  = "answer: application/json, 15 bytes as it came; fingerprints stand for credentials\n"
	)
	for _, index := range []string{"0", "1", "2"} {
		if got, want := bodiesOf(t, store, index), request+"{\n  \"a\": \"request\"\n}\n\n"+answer+"{\n  \"an\": \"answer\"\n}\n"; got != want {
			t.Errorf("show %s ends with\n%swant\n%s", index, got, want)
		}
		if got, want := bodiesOf(t, store, index, "--raw"), request+"{\"a\":\"request\"}\n\n"+answer+"{\"an\":\"answer\"}\n"; got != want {
			t.Errorf("show %s --raw ends with\n%swant\n%s", index, got, want)
		}
	}
}

// TestShowSaysWhyABodyIsMissing.
func TestShowSaysWhyABodyIsMissing(t *testing.T) {
	notJSON, silent, open := exchange(), exchange(), exchange()
	notJSON.Request, notJSON.RequestLength = nil, 7
	notJSON.Answer, notJSON.AnswerLength = nil, 512
	silent.Answer, silent.AnswerLength = nil, 0
	open.Kind, open.Answer, open.AnswerLength, open.Outcome, open.Certainty = audit.KindIntent, nil, 0, "", ""
	store := trailOf(t, notJSON, silent, open)
	for index, want := range map[string][]string{
		"0": {"request: 7 bytes, not kept: it is not JSON, or has too much", "answer: 512 bytes, not kept: it is not JSON, or has too much"},
		"1": {"request: application/json, 15 bytes", "answer: none came"},
		"2": {"request: application/json, 15 bytes", "answer: none is recorded"},
	} {
		got := bodiesOf(t, store, index)
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("show %s lacks %q:\n%s", index, text, got)
			}
		}
	}
}
