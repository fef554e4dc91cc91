package backend_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// judging returns the settings of a service that judges by rules with these levels and counts how often it does.
func judging(t *testing.T, levels map[int32]validate.Level, now func() time.Time, judged *int) backend.Options {
	t.Helper()
	own, err := rules.NewRules(rules.Settings{Levels: levels, DecidesState: true, Environment: rules.Production})
	if err != nil {
		t.Fatal(err)
	}
	return backend.Options{Clock: now, Rules: own, Judge: func(request *validate.Request, now time.Time) []validate.Finding {
		*judged++
		return own.Judge(request, now)
	}}
}

func TestARequestIsJudgedOnceByEqualRulesOnly(t *testing.T) {
	tomorrow := func() time.Time { return processed.AddDate(0, 0, 1) }
	levels := map[int32]validate.Level{10048: validate.Observe}
	wrong := lotRequest(issuer, 1, 6, 1, 1)
	wrong.FeCAEReq.FeDetReq.FECAEDetRequest[0].ImpTotal = wsfev1.MustAmount("122.00") // 10048
	for _, test := range []struct {
		name            string
		sent            *wsfev1.FECAESolicitarRequest
		gateway, levels map[int32]validate.Level
		now             func() time.Time
		judged          int
		want            string
	}{
		{name: "the gateway's rules", now: clock, want: "A []"},
		{name: "other levels", now: clock, levels: levels, judged: 1, want: "A []"},
		{name: "another clock", now: tomorrow, judged: 1, want: "A []"},
		{name: "what the gateway observed", sent: wrong, gateway: levels, now: clock, judged: 1, want: "R [10048]"},
		{name: "what both observe", sent: wrong, gateway: levels, levels: levels, now: clock, judged: 1, want: "A [10048]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.sent == nil {
				test.sent = lotRequest(issuer, 1, 6, 1, 1)
			}
			judged := 0
			service, err := backend.New(openLedger(t), judging(t, test.levels, test.now, &judged))
			if err != nil {
				t.Fatal(err)
			}
			gateway, err := rules.NewRules(rules.Settings{Levels: test.gateway})
			if err != nil {
				t.Fatal(err)
			}
			request := &validate.Request{Operation: operation("FECAESolicitar"), Body: test.sent}
			_, clearance := gateway.JudgeAndClear(request, processed)
			answer, err := service.AnswerCleared(t.Context(), request, clearance)
			if err != nil {
				t.Fatal(err)
			}
			verdict := wsfev1.VerdictOf(answer)
			if got := fmt.Sprintf("%s %v", verdict.Resultado, verdict.Codes); got != test.want || judged != test.judged {
				t.Errorf("answered %s after %d judgements, want %s after %d", got, judged, test.want, test.judged)
			}
		})
	}
}

func TestWhatOnlyTheLedgerKnowsIsJudgedAlways(t *testing.T) {
	judged := 0
	service, err := backend.New(openLedger(t), judging(t, nil, clock, &judged))
	if err != nil {
		t.Fatal(err)
	}
	gateway := new(rules.Rules)
	request := &validate.Request{Operation: operation("FECAESolicitar"), Body: lotRequest(issuer, 1, 6, 7, 1)}
	_, clearance := gateway.JudgeAndClear(request, processed)
	answer, err := service.AnswerCleared(t.Context(), request, clearance)
	if err != nil {
		t.Fatal(err)
	}
	if got := wsfev1.VerdictOf(answer); got.Resultado != wsfev1.Rechazado || fmt.Sprint(got.Codes) != "[10016]" || judged != 0 {
		t.Errorf("number 7 of a new series was answered %s %v after %d judgements", got.Resultado, got.Codes, judged)
	}
}
