package gateway_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// withoutCondition is an invoice that ARCA takes until 2026-11-30.
func withoutCondition(number int) string {
	return strings.Replace(caddytest.Invoice(number), `"CondicionIVAReceptorId":5,`, "", 1)
}

// TestTheDayFromWhichARCARefusesIsCountedDown: in the log, at the start and once a day, and in a
// gauge; on the day the gateway refuses, and so does the built-in service, unless the contract lacks
// the member.
func TestTheDayFromWhichARCARefusesIsCountedDown(t *testing.T) {
	const line, day = `"msg":"from 2026-12-01 ARCA refuses invoices without CondicionIVAReceptorId"`, 24 * 60 * 60
	for _, c := range []struct {
		contract, options, level string
		outcome                  string // of the exchange on the day
		earlier                  string
	}{
		{"arca", "mode enforce", "enforce", "refused", "observe, as no source says which day counts"},
		{"base", "mode enforce", "observe", "observed", "observe"},
		{"arca", "mode observe", "observe", "rejected", "observe"},
		{"base", "rule 10246 826 enforce", "enforce", "refused", "enforce"},
	} {
		t.Run(c.contract+" "+c.options, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "log")
			next := strings.Replace(caddytest.WithBackend(t), "{", "{\n\t\tclock fixed 2026-11-29T12:00:00-03:00", 1)
			s := caddytest.StartAdministered(t, next, func(caddyfile string) string {
				return strings.Replace(caddyfile, "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1)
			}, "contract "+c.contract, c.options)
			wanted := 0
			on := func(moment string, days, seconds int) {
				t.Helper()
				if moment != "" {
					if got := s.Ask("PUT", "/wsfev1/backend/clock", `{"mode":"fixed","time":"`+moment+`"}`); got.Status != 200 {
						t.Fatalf("%d %s", got.Status, got.Body)
					}
				}
				for range 2 {
					s.Post("FEDummy", "{}")
					s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}")
				}
				log, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if days >= 0 {
					wanted++
					said := line + `,"days":` + strconv.Itoa(days) + `,"rules":[826,10246],"rule_level":"` + c.level + `","contract":"` + c.contract + `","earlier_vouchers":"dated before that day: ` + c.earlier + `","gateways":1}`
					if strings.Count(string(log), said) != 1 {
						t.Errorf("%s is not said once: %s", said, log)
					}
				}
				if n := strings.Count(string(log), line); n != wanted {
					t.Errorf("%s: said %d times, want %d", moment, n, wanted)
				}
				for _, code := range []string{"10246", "826"} {
					if got := s.Metric(`wsfev1_rule_begins_in_seconds{code="` + code + `"}`); got != strconv.Itoa(seconds) {
						t.Errorf("%s: rule %s begins in %s seconds, want %d", moment, code, got, seconds)
					}
				}
			}
			on("", 2, day+day/2)
			on("2026-11-30T23:59:59-03:00", 1, 1)
			if !strings.Contains(c.options, "rule") {
				if s.Post("FECAESolicitar", withoutCondition(1)); s.Last().Outcome != "observed" {
					t.Errorf("on the eve: %s", s.Last().Outcome)
				}
			}
			on("2026-12-01T00:00:00-03:00", 0, 0)
			got := s.Post("FECAESolicitar", withoutCondition(2))
			if string(s.Last().Outcome) != c.outcome || got.At(t, "/FeDetResp/FECAEDetResponse/0/Observaciones/Obs/0/Code") != "10246" {
				t.Errorf("on the day: %s, %s", s.Last().Outcome, got.Body)
			}
			on("2026-12-02T10:00:00-03:00", -1, 0)
		})
	}
}

// TestGatewaysThatJudgeAlikeShareTheCountdown: the log of a fleet has one line for each way of judging.
func TestGatewaysThatJudgeAlikeShareTheCountdown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	s, next := caddytest.NewSite(t), strings.Replace(caddytest.WithBackend(t), "{", "{\n\t\tclock fixed 2026-11-29T12:00:00-03:00", 1)
	block := func(options ...string) string {
		return "wsfev1 {\n" + s.WithAudit(append(options, "ticket off")...) + "\n}\n"
	}
	var routes strings.Builder
	for i := range 5 {
		routes.WriteString("handle /alike" + strconv.Itoa(i) + "/* {\n" + block() + next + "\n}\n")
	}
	routes.WriteString("handle /observing/* {\n" + block("mode observe") + next + "\n}\n")
	s.Load("{\n admin off\n persist_config off\n log {\n" + caddytest.LogTo(file) + "}\n}\n" + s.URL + " {\n" + routes.String() + "}\n")
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]int{
		`"msg":"from 2026-12-01 ARCA refuses`: 2,
		`"gateways":5}`:                       1,
		`"gateways":1}`:                       1,
	} {
		if n := strings.Count(string(log), said); n != want {
			t.Errorf("%s stands %d times, want %d:\n%s", said, n, want, log)
		}
	}
}
