package simulator_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// withClock is the next handler that answers by itself, from one ledger.
func withClock(ledger, clock string, options ...string) string {
	return "wsfev1_backend {\n\t\tledger sqlite " + ledger + "\n\t\t" + clock + "\n\t\t" + strings.Join(options, "\n\t\t") + "\n\t}"
}

// moveTo sets the clock to a moment.
func moveTo(s *caddytest.Administered, moment string) {
	s.T.Helper()
	got := s.Ask("PUT", "/wsfev1/backend/clock", fmt.Sprintf(`{"mode":"fixed","time":%q}`, moment))
	if got.Status != 200 || got.At(s.T, "/time") != strconv.Quote(moment) || got.At(s.T, "/now") != strconv.Quote(moment) {
		s.T.Fatalf("moving the clock to %s: %d %s", moment, got.Status, got.Body)
	}
}

// TestAClockCrossesAFortnight: the gateway in front refuses by the clock that the
// service has, and passes when that was moved.
func TestAClockCrossesAFortnight(t *testing.T) {
	s := caddytest.StartAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock fixed 2026-11-02T12:00:00-03:00"), nil)
	ask := `{` + caddytest.AuthText + `,"Periodo":202611,"Orden":2}`
	if got := s.Post("FECAEASolicitar", ask); got.At(t, "/Errors/Err/0/Code") != "15006" || s.Last().Outcome != "refused" {
		t.Errorf("before its time: %s, %s", s.Last().Outcome, got.Body)
	}
	moveTo(s, "2026-11-11T00:00:00-03:00")
	got := s.Post("FECAEASolicitar", ask)
	if got.At(t, "/ResultGet/FchVigDesde") != `"20261116"` || got.At(t, "/ResultGet/FchProceso") != `"20261111000000"` {
		t.Errorf("in time: %s", got.Body)
	}
	moveTo(s, "2026-12-01T00:00:00-03:00")
	if got := s.Post("FECAEASolicitar", strings.Replace(ask, caddytest.AuthText, strings.Replace(caddytest.AuthText, "20111111112", "30500010912", 1), 1)); got.At(t, "/Errors/Err/0/Code") != "15006" {
		t.Errorf("after its time: %s", got.Body)
	}
}

// TestRecordsKeepTheMachinesTime whatever the clock shows: they are evidence.
func TestRecordsKeepTheMachinesTime(t *testing.T) {
	s := caddytest.StartAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock fixed 2026-11-02T12:00:00-03:00"), nil)
	before := time.Now()
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got.At(t, "/FeCabResp/FchProceso") != `"20261102120000"` || got.At(t, "/FeDetResp/FECAEDetResponse/0/CbteFch") != `"20261102"` ||
		got.At(t, "/FeDetResp/FECAEDetResponse/0/CAEFchVto") != `"20261112"` {
		t.Errorf("%s", got.Body)
	}
	refused := s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(2), "121.00", "7.00", 1))
	if refused.At(t, "/FeCabResp/FchProceso") != `"20261102120000"` {
		t.Errorf("%s", refused.Body)
	}
	for _, r := range s.Records() {
		if r.Time.Before(before.Truncate(time.Microsecond)) || r.Time.After(time.Now()) || r.Duration < 0 || r.Duration > time.Minute {
			t.Errorf("recorded at %s for %s", r.Time, r.Duration)
		}
	}
}

// TestDateWindowsFollowTheClock, in the gateway, which refuses, and in the service.
func TestDateWindowsFollowTheClock(t *testing.T) {
	for _, mode := range []string{"mode enforce", "mode observe"} {
		t.Run(mode, func(t *testing.T) {
			s := caddytest.StartAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock fixed 2026-11-02T12:00:00-03:00"), nil, mode)
			dated := strings.Replace(caddytest.Invoice(1), `"DocTipo"`, `"CbteFch":"20261102","DocTipo"`, 1)
			moveTo(s, "2026-11-08T12:00:00-03:00") // six days: one more than the window of goods has
			got := s.Post("FECAESolicitar", dated)
			if !strings.Contains(string(got.Body), `"Code":10016`) || got.At(t, "/FeCabResp/Resultado") != `"R"` {
				t.Errorf("past the window: %s", got.Body)
			}
			moveTo(s, "2026-11-07T12:00:00-03:00")
			if got := s.Post("FECAESolicitar", dated); got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("on its last day: %s", got.Body)
			}
		})
	}
}

func TestAnOffsetClockRunsAhead(t *testing.T) {
	s := caddytest.StartAdministered(t, withClock(filepath.Join(t.TempDir(), "ledger.db"), "clock offset 30d"), nil)
	first := wsfev1.DateOf(time.Now().AddDate(0, 0, 30))
	got := strings.Trim(s.Post("FECAESolicitar", caddytest.Invoice(1)).At(t, "/FeDetResp/FECAEDetResponse/0/CbteFch"), `"`)
	if last := wsfev1.DateOf(time.Now().AddDate(0, 0, 30)); got < string(first) || got > string(last) {
		t.Errorf("dated %s, want %s", got, first)
	}
	if value := ahead(s.Site); value != 30*24*3600 {
		t.Errorf("the metric is %v", value)
	}
	shown := s.Ask("PUT", "/wsfev1/backend/clock", `{"mode":"offset","offset":"-1d12h"}`)
	if shown.At(t, "/offset") != `"-36h0m0s"` || ahead(s.Site) != -36*3600 {
		t.Errorf("%v: %s", ahead(s.Site), shown.Body)
	}
	s.Ask("PUT", "/wsfev1/backend/clock", `{"mode":"fixed","time":"2026-11-02T12:00:00-03:00"}`)
	fixed := time.Date(2026, 11, 2, 15, 0, 0, 0, time.UTC)
	if want := time.Until(fixed).Seconds(); math.Abs(ahead(s.Site)-want) > 60 {
		t.Errorf("the metric is %v, want %v", ahead(s.Site), want)
	}
	s.Ask("PUT", "/wsfev1/backend/clock", `{"mode":"system"}`)
	if ahead(s.Site) != 0 {
		t.Errorf("the metric is %v", ahead(s.Site))
	}
}

// ahead returns the metric of the clock.
func ahead(s *caddytest.Site) float64 {
	s.T.Helper()
	value, err := strconv.ParseFloat(s.Metric("wsfev1_backend_clock_offset_seconds"), 64)
	if err != nil {
		s.T.Error(err)
	}
	return value
}

// TestAReloadKeepsTheClockAndTheLedger where the configuration still names the same;
// one that names another clock sets it.
func TestAReloadKeepsTheClockAndTheLedger(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger.db")
	fixed := withClock(ledger, "clock fixed 2026-11-02T12:00:00-03:00")
	s := caddytest.StartAdministered(t, fixed, nil)
	date := func(got caddytest.Response) string {
		return got.At(t, "/FeDetResp/FECAEDetResponse/0/CbteFch") + got.At(t, "/FeCabResp/Resultado")
	}
	moveTo(s, "2026-11-03T12:00:00-03:00")
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); date(got) != `"20261103""A"` {
		t.Errorf("moved: %s", got.Body)
	}
	s.Reload(fixed, nil, "max_body 1MiB")
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); date(got) != `"20261103""A"` {
		t.Errorf("reloaded with the same clock, which is written otherwise: %s", got.Body)
	}
	s.Reload(withClock(ledger, "clock fixed 2026-11-02T15:00:00Z"), nil, "max_body 2MiB")
	if got := s.Post("FECAESolicitar", caddytest.Invoice(3)); date(got) != `"20261103""A"` {
		t.Errorf("reloaded with the same clock, written otherwise: %s", got.Body)
	}
	if err := caddytest.LoadCaddyfile(s.WithAdmin(s.Config("audit sqlite /proc/nowhere/audit.db",
		withClock(ledger, "clock fixed 2026-11-09T12:00:00-03:00")))); err == nil {
		t.Fatal("a store in /proc was opened")
	}
	if got := s.Ask("GET", "/wsfev1/backend/clock", ""); got.At(t, "/now") != `"2026-11-03T12:00:00-03:00"` {
		t.Errorf("after a reload that failed: %s", got.Body)
	}
	s.Reload(withClock(ledger, "clock fixed 2026-11-04T12:00:00-03:00"), nil)
	number := 3
	caddytest.Eventually(t, "the other clock is used", func() bool { // Caddy's old server may take a connection yet
		number++
		return date(s.Post("FECAESolicitar", caddytest.Invoice(number))) == `"20261104""A"`
	})
	s.Store = filepath.Join(t.TempDir(), "real.db")
	s.Reload("respond `"+caddytest.Approval+"`", nil)
	if got := s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), "121.00", "7.00", 1)); got.At(t, "/FeCabResp/FchProceso") == `"20261104120000"` {
		t.Errorf("a gateway without the built-in service judges by its clock: %s", got.Body)
	}
}

// TestThereIsOneClockForAllHandlers of a configuration.
func TestThereIsOneClockForAllHandlers(t *testing.T) {
	caddytest.InEmptyFolder(t)
	two := func(first, second string) error {
		return caddytest.Provision(t, []byte("http://localhost:80 {\n route /a/* {\n wsfev1_backend {\n"+first+"\n}\n }\n route /b/* {\n wsfev1_backend {\n"+second+"\n}\n }\n}\n"))
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
		return strings.Replace(caddyfile, "{\n", "{\n log {\n"+caddytest.LogTo(file)+" level WARN\n }\n", 1)
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
	s := caddytest.StartAdministered(t, withClock(ledger, "clock system"), logged)
	if warnings(simulated) != 0 {
		t.Error("the machine's clock is called simulated")
	}
	moveTo(s, "2026-11-03T12:00:00-03:00")
	if warnings(moved) != 1 {
		t.Errorf("moved once, said %d times", warnings(moved))
	}
	s.Reload(withClock(ledger, "clock system"), logged, "max_body 1MiB") // which keeps it
	s.Reload(withClock(ledger, "clock offset 36h"), logged)
	if warnings(simulated) != 2 {
		t.Errorf("started twice with a simulated clock, said %d times", warnings(simulated))
	}
}
