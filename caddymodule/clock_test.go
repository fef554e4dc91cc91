package caddymodule_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// withClock is the next handler that answers by itself, from one ledger.
func withClock(ledger, clock string, options ...string) string {
	return "wsfev1_backend {\n\t\tledger sqlite " + ledger + "\n\t\t" + clock + "\n\t\t" + strings.Join(options, "\n\t\t") + "\n\t}"
}

// moveTo sets the clock to a moment.
func moveTo(s *administered, moment string) {
	s.t.Helper()
	got := s.ask("PUT", "/wsfev1/backend/clock", fmt.Sprintf(`{"mode":"fixed","time":%q}`, moment))
	if got.status != 200 || got.at(s.t, "/time") != strconv.Quote(moment) || got.at(s.t, "/now") != strconv.Quote(moment) {
		s.t.Fatalf("moving the clock to %s: %d %s", moment, got.status, got.body)
	}
}

// TestAClockCrossesAFortnight: the gateway in front refuses by the clock that the
// service has, and passes when that was moved.
func TestAClockCrossesAFortnight(t *testing.T) {
	s := startAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock fixed 2026-11-02T12:00:00-03:00"), nil)
	ask := `{` + authText + `,"Periodo":202611,"Orden":2}`
	if got := s.post("FECAEASolicitar", ask); got.at(t, "/Errors/Err/0/Code") != "15006" || s.last().Outcome != "refused" {
		t.Errorf("before its time: %s, %s", s.last().Outcome, got.body)
	}
	moveTo(s, "2026-11-11T00:00:00-03:00")
	got := s.post("FECAEASolicitar", ask)
	if got.at(t, "/ResultGet/FchVigDesde") != `"20261116"` || got.at(t, "/ResultGet/FchProceso") != `"20261111000000"` {
		t.Errorf("in time: %s", got.body)
	}
	moveTo(s, "2026-12-01T00:00:00-03:00")
	if got := s.post("FECAEASolicitar", strings.Replace(ask, authText, strings.Replace(authText, "20111111112", "30500010912", 1), 1)); got.at(t, "/Errors/Err/0/Code") != "15006" {
		t.Errorf("after its time: %s", got.body)
	}
}

// TestRecordsKeepTheMachinesTime whatever the clock shows: they are evidence.
func TestRecordsKeepTheMachinesTime(t *testing.T) {
	s := startAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock fixed 2026-11-02T12:00:00-03:00"), nil)
	before := time.Now()
	got := s.post("FECAESolicitar", invoice(1))
	if got.at(t, "/FeCabResp/FchProceso") != `"20261102120000"` || got.at(t, "/FeDetResp/FECAEDetResponse/0/CbteFch") != `"20261102"` ||
		got.at(t, "/FeDetResp/FECAEDetResponse/0/CAEFchVto") != `"20261112"` {
		t.Errorf("%s", got.body)
	}
	refused := s.post("FECAESolicitar", strings.Replace(invoice(2), "121.00", "7.00", 1))
	if refused.at(t, "/FeCabResp/FchProceso") != `"20261102120000"` {
		t.Errorf("%s", refused.body)
	}
	for _, r := range s.records() {
		if r.Time.Before(before.Truncate(time.Microsecond)) || r.Time.After(time.Now()) || r.Duration < 0 || r.Duration > time.Minute {
			t.Errorf("recorded at %s for %s", r.Time, r.Duration)
		}
	}
}

// TestDateWindowsFollowTheClock, in the gateway, which refuses, and in the service.
func TestDateWindowsFollowTheClock(t *testing.T) {
	for _, mode := range []string{"mode enforce", "mode observe"} {
		t.Run(mode, func(t *testing.T) {
			s := startAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock fixed 2026-11-02T12:00:00-03:00"), nil, mode)
			dated := strings.Replace(invoice(1), `"DocTipo"`, `"CbteFch":"20261102","DocTipo"`, 1)
			moveTo(s, "2026-11-08T12:00:00-03:00") // six days: one more than the window of goods has
			got := s.post("FECAESolicitar", dated)
			if !strings.Contains(string(got.body), `"Code":10016`) || got.at(t, "/FeCabResp/Resultado") != `"R"` {
				t.Errorf("past the window: %s", got.body)
			}
			moveTo(s, "2026-11-07T12:00:00-03:00")
			if got := s.post("FECAESolicitar", dated); got.at(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("on its last day: %s", got.body)
			}
		})
	}
}

func TestAnOffsetClockRunsAhead(t *testing.T) {
	s := startAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock offset 30d"), nil)
	first := wsfev1.DateOf(time.Now().AddDate(0, 0, 30))
	got := strings.Trim(s.post("FECAESolicitar", invoice(1)).at(t, "/FeDetResp/FECAEDetResponse/0/CbteFch"), `"`)
	if last := wsfev1.DateOf(time.Now().AddDate(0, 0, 30)); got < string(first) || got > string(last) {
		t.Errorf("dated %s, want %s", got, first)
	}
	if value := ahead(s.site); value != 30*24*3600 {
		t.Errorf("the metric is %v", value)
	}
	shown := s.ask("PUT", "/wsfev1/backend/clock", `{"mode":"offset","offset":"-1d12h"}`)
	if shown.at(t, "/offset") != `"-36h0m0s"` || ahead(s.site) != -36*3600 {
		t.Errorf("%v: %s", ahead(s.site), shown.body)
	}
	s.ask("PUT", "/wsfev1/backend/clock", `{"mode":"fixed","time":"2026-11-02T12:00:00-03:00"}`)
	fixed := time.Date(2026, 11, 2, 15, 0, 0, 0, time.UTC)
	if want := time.Until(fixed).Seconds(); math.Abs(ahead(s.site)-want) > 60 {
		t.Errorf("the metric is %v, want %v", ahead(s.site), want)
	}
	s.ask("PUT", "/wsfev1/backend/clock", `{"mode":"system"}`)
	if ahead(s.site) != 0 {
		t.Errorf("the metric is %v", ahead(s.site))
	}
}

// ahead returns the metric of the clock.
func ahead(s *site) float64 {
	s.t.Helper()
	value, err := strconv.ParseFloat(s.metric("wsfev1_backend_clock_offset_seconds"), 64)
	if err != nil {
		s.t.Error(err)
	}
	return value
}

// TestAReloadKeepsTheClockAndTheLedger where the configuration still names the same;
// one that names another clock sets it.
func TestAReloadKeepsTheClockAndTheLedger(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger.db")
	fixed := withClock(ledger, "clock fixed 2026-11-02T12:00:00-03:00")
	s := startAdministered(t, fixed, nil)
	date := func(got response) string {
		return got.at(t, "/FeDetResp/FECAEDetResponse/0/CbteFch") + got.at(t, "/FeCabResp/Resultado")
	}
	moveTo(s, "2026-11-03T12:00:00-03:00")
	if got := s.post("FECAESolicitar", invoice(1)); date(got) != `"20261103""A"` {
		t.Errorf("moved: %s", got.body)
	}
	s.reload(fixed, nil, "max_body 1MiB")
	if got := s.post("FECAESolicitar", invoice(2)); date(got) != `"20261103""A"` {
		t.Errorf("reloaded with the same clock, which is written otherwise: %s", got.body)
	}
	s.reload(withClock(ledger, "clock fixed 2026-11-02T15:00:00Z"), nil, "max_body 2MiB")
	if got := s.post("FECAESolicitar", invoice(3)); date(got) != `"20261103""A"` {
		t.Errorf("reloaded with the same clock, written otherwise: %s", got.body)
	}
	if err := loadCaddyfile(s.withAdmin(s.config("audit sqlite /proc/nowhere/audit.db",
		withClock(ledger, "clock fixed 2026-11-09T12:00:00-03:00")))); err == nil {
		t.Fatal("a store in /proc was opened")
	}
	if got := s.ask("GET", "/wsfev1/backend/clock", ""); got.at(t, "/now") != `"2026-11-03T12:00:00-03:00"` {
		t.Errorf("after a reload that failed: %s", got.body)
	}
	s.reload(withClock(ledger, "clock fixed 2026-11-04T12:00:00-03:00"), nil)
	if got := s.post("FECAESolicitar", invoice(4)); date(got) != `"20261104""A"` {
		t.Errorf("reloaded with another clock: %s", got.body)
	}
	s.store = filepath.Join(t.TempDir(), "real.db")
	s.reload("respond `"+approval+"`", nil)
	if got := s.post("FECAESolicitar", strings.Replace(invoice(1), "121.00", "7.00", 1)); got.at(t, "/FeCabResp/FchProceso") == `"20261104120000"` {
		t.Errorf("a gateway without the built-in service judges by its clock: %s", got.body)
	}
}

// TestThereIsOneClockForAllHandlers of a configuration.
func TestThereIsOneClockForAllHandlers(t *testing.T) {
	inEmptyFolder(t)
	two := func(first, second string) error {
		return provision(t, []byte("http://localhost:80 {\n route /a/* {\n wsfev1_backend {\n"+first+"\n}\n }\n route /b/* {\n wsfev1_backend {\n"+second+"\n}\n }\n}\n"))
	}
	if err := two("clock fixed 2026-11-02T12:00:00-03:00", "clock offset 1h"); err == nil || !strings.Contains(err.Error(), "names another clock") {
		t.Error(err)
	}
	for _, same := range [][2]string{
		{"clock fixed 2026-11-02T12:00:00-03:00", "clock fixed 2026-11-02T15:00:00Z"},
		{"clock offset 36h", "clock offset 1.5d"},
		{"", "clock offset 36h"},
		{"clock system", ""},
	} {
		if err := two(same[0], same[1]); err != nil {
			t.Errorf("%v: %v", same, err)
		}
	}
	if err := two("clock system", "clock offset 1h"); err == nil {
		t.Error("system is not another clock than an offset")
	}
}

// TestTheLogSaysThatAClockIsSimulated, at start and when it was moved.
func TestTheLogSaysThatAClockIsSimulated(t *testing.T) {
	file := filepath.Join(t.TempDir(), "default.log")
	logged := func(caddyfile string) string {
		return strings.Replace(caddyfile, "{\n", "{\n log {\n"+logTo(file)+" level WARN\n }\n", 1)
	}
	warnings := func(text string) int {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(content), text)
	}
	const simulated, moved = "the clock of the built-in service is simulated", "the clock of the built-in service was moved"
	ledger := filepath.Join(t.TempDir(), "ledger.db")
	s := startAdministered(t, withClock(ledger, "clock system"), logged)
	if warnings(simulated) != 0 {
		t.Error("the machine's clock is called simulated")
	}
	moveTo(s, "2026-11-03T12:00:00-03:00")
	if warnings(moved) != 1 {
		t.Errorf("moved once, said %d times", warnings(moved))
	}
	s.reload(withClock(ledger, "clock system"), logged, "max_body 1MiB") // which keeps it
	s.reload(withClock(ledger, "clock offset 36h"), logged)
	if warnings(simulated) != 2 {
		t.Errorf("started twice with a simulated clock, said %d times", warnings(simulated))
	}
}
