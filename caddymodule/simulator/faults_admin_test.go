package simulator_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// faultsOf sends a request about the faults to the admin API.
func faultsOf(s *caddytest.Administered, method, body string) caddytest.Response {
	s.T.Helper()
	return s.Ask(method, "/wsfev1/backend/faults", body)
}

// checkFaults compares a document of the admin API.
func checkFaults(t *testing.T, got caddytest.Response, want string) {
	t.Helper()
	if got.Status != 200 || got.Header.Get("Content-Type") != "application/json" || strings.TrimSpace(string(got.Body)) != want {
		t.Errorf("got %d %v %s\nwant %s", got.Status, got.Header, got.Body, want)
	}
}

// fresh writes what has become of faults that have met no request into a document.
func fresh(document string) string {
	return strings.NewReplacer("},{", `,"matched":0,"struck":0},{`, "}]}", `,"matched":0,"struck":0}]}`).Replace(document)
}

const noFaults = `{"seed":0,"faults":[]}`

// TestFaultsComeAndGoOverTheAdminAPI: the metric tells how many are on.
func TestFaultsComeAndGoOverTheAdminAPI(t *testing.T) {
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
	active := func(want string) {
		t.Helper()
		if got := s.Metric("wsfev1_backend_faults_active"); got != want {
			t.Errorf("%s faults are active, want %s", got, want)
		}
	}
	checkFaults(t, faultsOf(s, "GET", ""), noFaults)
	active("0")

	every := `{"seed":42,"faults":[{"kind":"error_501","operations":["FECAESolicitar"],"cuit":20111111112,"pto_vta":1,` +
		`"cbte_tipo":6,"nro":1,"probability":0.5,"after":1,"count":1,"delay":"lognormal 1s 0.5","commit":true},{"kind":"drop"}]}`
	checkFaults(t, faultsOf(s, "PUT", every), fresh(every))
	checkFaults(t, faultsOf(s, "PUT", strings.Replace(every, "20111111112", `"20-11111111-2"`, 1)), fresh(every))
	active("2")

	faultsOf(s, "PUT", `{"faults":[{"kind":"error_501","nro":2,"count":1,"commit":true}]}`)
	for i, want := range []string{"", "501", "10016"} {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(min(i+1, 2))); caddytest.FirstError(t, got) != want {
			t.Errorf("request %d: %s", i+1, got.Body)
		}
	}
	spent := `{"seed":0,"faults":[{"kind":"error_501","nro":2,"count":1,"commit":true,"matched":1,"struck":1}]}`
	checkFaults(t, faultsOf(s, "GET", ""), spent)
	active("0")

	checkFaults(t, faultsOf(s, "PUT", spent), strings.Replace(spent, `"matched":1,"struck":1`, `"matched":0,"struck":0`, 1))
	active("1")
	checkFaults(t, faultsOf(s, "DELETE", ""), noFaults)
	active("0")
}

// TestAFaultThatCannotBeIsNamed: and those in force stay.
func TestAFaultThatCannotBeIsNamed(t *testing.T) {
	next := caddytest.WithFaults(t, "fault error_500 {\n nro 77\n}")
	s := caddytest.StartAdministered(t, next, nil)
	for _, c := range []struct{ body, want string }{
		{``, "reading the body"},
		{`[]`, "reading the body"},
		{`{"fault":[]}`, `"fault"`},
		{`{"faults":[{"kind":"drop","percent":10}]}`, `"percent"`},
		{`{"faults":[{"kind":"drop"},{"kind":"drop","count":"3"}]}`, "/faults/1/count"},
		{`{"faults":[{"kind":"drop"}],"faults":[]}`, "duplicate"},
		{`{"faults":[{"kind":"drop"}]} more`, "reading the body"},
		{`{"faults":[{"kind":"drop"},{"kind":"dorp"}]}`, `fault 2: unknown kind "dorp": use drop, hang`},
		{`{"faults":[{}]}`, `fault 1: unknown kind ""`},
		{`{"faults":[{"kind":"drop","operations":["feDummy"]}]}`, `fault 1: drop: operation "feDummy": no such operation`},
		{`{"faults":[{"kind":"error_501","operations":["FEDummy"]}]}`, "fault 1: error_501: operation FEDummy: this kind never strikes it"},
		{`{"faults":[{"kind":"slow_tables","delay":"fixed 1s","operations":["FECAESolicitar"]}]}`, "this kind never strikes it"},
		{`{"faults":[{"kind":"drop","probability":0}]}`, "drop: probability 0: give more than 0 and at most 1"},
		{`{"faults":[{"kind":"drop","probability":1.01}]}`, "drop: probability 1.01: give more than 0 and at most 1"},
		{`{"faults":[{"kind":"drop","count":-1}]}`, "drop: count -1: give no negative number"},
		{`{"faults":[{"kind":"drop","after":-1}]}`, "drop: after -1: give no negative number"},
		{`{"faults":[{"kind":"drop","cuit":20111111113}]}`, "cuit 20111111113 is not a CUIT"},
		{`{"faults":[{"kind":"truncate","commit":false}]}`, "truncate: commit: this kind leaves no choice"},
		{`{"faults":[{"kind":"delay"}]}`, "delay: no delay: give fixed 2s, uniform 1s 5s or lognormal 1s 0.5"},
		{`{"faults":[{"kind":"delay","delay":"2s"}]}`, `delay "2s": give fixed 2s`},
		{`{"faults":[{"kind":"delay","delay":"fixed 11m"}]}`, `"11m": give a duration of up to 10m`},
		{`{"faults":[{"kind":"delay","delay":"uniform 5s 1s"}]}`, "1s is shorter than 5s: give the shorter one first"},
		{`{"faults":[{"kind":"delay","delay":"lognormal 1s NaN"}]}`, `"NaN": give a sigma above 0 and up to 4`},
		{`{"faults":[` + strings.Repeat(`{"kind":"drop"},`, 100) + `{"kind":"drop"}]}`, "101 faults: at most 100 are allowed"},
	} {
		if got := faultsOf(s, "PUT", c.body); got.Status != 400 || !strings.Contains(got.Refusal(t), c.want) {
			t.Errorf("%s: %d %s\nwant %s", c.body, got.Status, got.Body, c.want)
		}
	}
	if got := faultsOf(s, "PATCH", noFaults); got.Status != 405 || got.Header.Get("Allow") != "GET, PUT, DELETE" {
		t.Errorf("PATCH: %d %v %s", got.Status, got.Header, got.Body)
	}
	checkFaults(t, faultsOf(s, "GET", ""), fresh(`{"seed":0,"faults":[{"kind":"error_500","nro":77}]}`))
}

// TestFaultsOutliveAReloadThatSaysTheSame: one that says something else replaces
// them, and without a built-in service there are none.
func TestFaultsOutliveAReloadThatSaysTheSame(t *testing.T) {
	next := caddytest.WithBackend(t)
	s := caddytest.StartAdministered(t, next, nil)
	faultsOf(s, "PUT", `{"faults":[{"kind":"error_500","after":1}]}`)
	s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}")
	s.Reload(next, nil)
	checkFaults(t, faultsOf(s, "GET", ""), `{"seed":0,"faults":[{"kind":"error_500","after":1,"matched":1,"struck":0}]}`)
	if got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); caddytest.FirstError(t, got) != "500" {
		t.Errorf("after the reload: %s", got.Body)
	}

	with := strings.Replace(next, "\n\t}", "\n\t\tfault_seed 3\n\t\tfault drop {\n\t\t\tnro 77\n\t\t}\n\t}", 1)
	s.Reload(with, nil)
	declared := `{"seed":3,"faults":[{"kind":"drop","nro":77,"matched":0,"struck":0}]}`
	checkFaults(t, faultsOf(s, "GET", ""), declared)
	if got := s.Metric("wsfev1_backend_faults_active"); got != "1" {
		t.Errorf("%s faults are active", got)
	}
	faultsOf(s, "DELETE", "")
	s.Reload(with, nil)
	checkFaults(t, faultsOf(s, "GET", ""), noFaults)
	s.Reload(next, nil)
	s.Reload(with, nil)
	checkFaults(t, faultsOf(s, "GET", ""), declared)

	s.Reload("respond 503", nil)
	if got := faultsOf(s, "GET", ""); got.Status != 404 || !strings.Contains(got.Refusal(t), "wsfev1_backend") {
		t.Errorf("without a service: %d %s", got.Status, got.Body)
	}
	if got := s.Metric("wsfev1_backend_faults_active"); got != "0" && got != "" {
		t.Errorf("%s faults are active", got)
	}
}

// TestTheLogTellsOfFaults: when they are on, when they change, and when one is over.
func TestTheLogTellsOfFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "caddy.log")
	logged := func(caddyfile string) string {
		return strings.Replace(caddyfile, "\tmetrics\n", "\tmetrics\n\tlog {\n"+caddytest.LogTo(file)+"\t}\n", 1)
	}
	next := caddytest.WithFaults(t, "fault error_500 {\n count 1\n}", "fault html_502 {\n nro 77\n}")
	s := caddytest.StartAdministered(t, next, logged)
	s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}")
	faultsOf(s, "PUT", `{"faults":[{"kind":"hang","nro":77}]}`)
	s.Reload(next, logged)
	faultsOf(s, "DELETE", "")
	s.Reload(next, logged)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range bytes.Lines(text) {
		var entry struct {
			Level  string   `json:"level"`
			Logger string   `json:"logger"`
			Msg    string   `json:"msg"`
			Faults []string `json:"faults"`
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if strings.Contains(entry.Msg, "fault") {
			got = append(got, fmt.Sprintf("%s %s: %s %v", entry.Level, entry.Logger, entry.Msg, entry.Faults))
		}
	}
	const from = "warn http.handlers.wsfev1_backend: "
	want := []string{
		from + "faults are on: the built-in service fails on purpose [error_500 html_502]",
		from + "a fault has struck for the last time [html_502]",
		from + "the faults of the built-in service were set [hang]",
		from + "faults are on: the built-in service fails on purpose [hang]",
		from + "the faults of the built-in service were set []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("logged\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
