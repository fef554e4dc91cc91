package reading_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestShowPrintsOneRecordWhole, by its number or by the address that the gateway
// gave to the client.
func TestShowPrintsOneRecordWhole(t *testing.T) {
	s := caddytest.Evidence(t)
	log := s.Records()[0].Log
	for _, index := range []string{"1", log + "/1"} {
		out, errs, err := caddytest.AuditCommand("show", index, "--store", "sqlite:"+s.Store)
		if err != nil || errs != "" {
			t.Fatalf("%v %s", err, errs)
		}
		for _, want := range []string{
			`record +` + regexp.QuoteMeta(log) + `/1 \(outcome\)`, `intent +` + regexp.QuoteMeta(log) + `/0`, `exchange +[0-9a-f-]{36}`,
			`time +20\S+-03:00`, `duration +\S+s`, `client +127\.0\.0\.1`, `operation +FECAESolicitar`, `cuit +20111111112`,
			`pto_vta +1`, `cbte_tipo +6`, `voucher +1-1 \d{14} A`, `resultado +A`, `decision +forward`, `outcome +approved`,
			`certainty +answered`, `status +200`, fmt.Sprintf(`request +%d bytes, sha256 [0-9a-f]{64}`, len(caddytest.Invoice(1))),
			`answer +\d+ bytes, sha256 [0-9a-f]{64}`, ` +"Token": "hmac-sha256:[0-9a-f]{32}",`, ` +"CbteDesde": 1,`, ` +"CAE": "\d{14}",`,
		} {
			if !regexp.MustCompile("(?m)^" + want + "$").MatchString(out) {
				t.Errorf("show %s has no line %s:\n%s", index, want, out)
			}
		}
	}
	out, _, err := caddytest.AuditCommand("show", "3", "--store", "sqlite:"+s.Store)
	if err != nil || !regexp.MustCompile(`(?m)^finding +10048 EXC refuse /FeCAEReq/\S+\n +\S`).MatchString(out) {
		t.Errorf("%v %s", err, out)
	}
	for index := range 8 {
		out, _, err := caddytest.AuditCommand("show", fmt.Sprint(index), "--format", "json", "--store", "sqlite:"+s.Store)
		var object struct {
			Index int `json:"index"`
		}
		if err != nil || strings.Count(out, "\n") != 1 {
			t.Fatalf("record %d: %v %s", index, err, out)
		}
		if index == 7 {
			continue // with its name twice it is no JSON to strict readers
		}
		if err := json.Unmarshal([]byte(out), &object); err != nil || object.Index != index {
			t.Errorf("record %d: %v %s", index, err, out)
		}
	}
	if out, _, err := caddytest.AuditCommand("show", "7", "--store", "sqlite:"+s.Store); err != nil || strings.Count(out, `"Token": "hmac-sha256:`) != 2 {
		t.Errorf("a name twice: %v %s", err, out)
	}
}

// TestNoTextOfAClientForgesALine: what it writes in a name or a code is shown escaped, where
// it would otherwise be a line of its own or tell the terminal what to do.
func TestNoTextOfAClientForgesALine(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	const forged = `x\u001b[2K\noutcome    approved`
	s.Post("FECAEASinMovimientoInformar", "{"+caddytest.AuthText+`,"PtoVta":3,"CAEA":"`+forged+`"}`)
	s.Post("FECAEASinMovimientoInformar", "{"+caddytest.AuthText+`,"PtoVta":3,"CAEA":"31234567890123","`+forged+`":1}`)
	s.Post("FECAEASinMovimientoInformar", "{"+caddytest.AuthText+",\"PtoVta\":3,\"CAEA\":\"\u009b2K\u202ex\U000e0001\"}")
	for _, arguments := range [][]string{{"search"}, {"show", "0"}, {"show", "1"}, {"show", "2"}} {
		out, _, err := caddytest.AuditCommand(append(arguments, "--store", "sqlite:"+s.Store)...)
		if err != nil || strings.Contains(out, "\noutcome    approved") || strings.ContainsAny(out, "\u001b\u009b\u202e\U000e0001") {
			t.Errorf("%v: %v\n%q", arguments, err, out)
		}
		if len(arguments) == 1 && strings.Count(out, "\n") != 4 {
			t.Errorf("other than a head and three rows:\n%s", out)
		}
	}
	if out, _, _ := caddytest.AuditCommand("show", "2", "--store", "sqlite:"+s.Store); !strings.Contains(out, `"CAEA": "\u009b2K\u202ex\udb40\udc01"`) {
		t.Errorf("the body is not the same JSON:\n%s", out)
	}
	if out, _, _ := caddytest.AuditCommand("show", "2", "--raw", "--store", "sqlite:"+s.Store); !strings.Contains(out, "\"CAEA\":\"\u009b2K") {
		t.Errorf("--raw:\n%q", out)
	}
}

// TestCommandsSayWhatToDo.
func TestCommandsSayWhatToDo(t *testing.T) {
	s := caddytest.Evidence(t)
	store := "--store=sqlite:" + s.Store
	nowhere := filepath.Join(t.TempDir(), "none.db")
	for _, test := range []struct {
		arguments []string
		want      []string
	}{
		{[]string{"search", "--store", "sqlite:" + nowhere}, []string{nowhere}},
		{[]string{"search", "--store", "sqlite:../doc.go"}, []string{"doc.go"}},
		{[]string{"search", "--store", "mongodb:x"}, []string{`--store: give sqlite:PATH`}},
		{[]string{"search", "--store", "audit.db"}, []string{`--store: give sqlite:PATH`}},
		{[]string{"search", "--store", "sqlite:"}, []string{`--store: give sqlite:PATH`}},
		{[]string{"search"}, []string{filepath.Join("wsfev1", "audit.db")}},
		{[]string{"search", store, "--operation", "fecaesolicitar"}, []string{`"fecaesolicitar"`, "names are exact", "FECAESolicitar"}},
		{[]string{"search", store, "--outcome", "good"}, []string{`"good"`, "approved", "unknown"}},
		{[]string{"search", store, "--format", "xml"}, []string{`--format "xml": use table or json`}},
		{[]string{"search", store, "--since", "someday"}, []string{`--since "someday"`, "2026-11-20", "24h"}},
		{[]string{"search", store, "--until", "-1h"}, []string{`--until "-1h"`}},
		{[]string{"search", store, "--before", "0"}, []string{"no record before the first"}},
		{[]string{"search", store, "--limit", "-1"}, []string{"--limit -1: give a number, or 0 for all"}},
		{[]string{"search", store, "--cuit", "20 11111111 2"}, []string{"--cuit"}},
		{[]string{"search", store, "--cae", ""}, []string{"--cae has no value: give one, or leave the flag out"}},
		{[]string{"stats", "--store", ""}, []string{"--store has no value"}},
		{[]string{"search", store, "--nro", "0"}, []string{"--nro 0: give a number from 1 on"}},
		{[]string{"search", store, "--since", "2026-11-20", "--until", "2026-11-19"}, []string{"--until 2026-11-19 is not after --since 2026-11-20"}},
		{[]string{"stats", store, "--since", "1d", "--until", "2d"}, []string{"--until 2d is not after --since 1d"}},
		{[]string{"outages", store, "--since", "2026-11-20", "--until", "2026-11-19"}, []string{"is not after --since"}},
		{[]string{"search", store, "more"}, []string{"more"}},
		{[]string{"search", store, "--certainty", "sure"}, []string{`"sure"`, "answered, not_sent, unknown"}},
		{[]string{"search", store, "--kind", "any"}, []string{`"any"`, "access, exchange, intent, outage, outcome, settlement"}},
		{[]string{"search", store, "--decision", "accept"}, []string{`"accept"`, "forward, refuse"}},
		{[]string{"search", store, "--resultado", "X"}, []string{`"X"`, "A, R, P"}},
		{[]string{"search", store, "--outcome", "open", "--kind", "outcome"}, []string{"leave --kind out"}},
		{[]string{"search", store, "--min-duration", "-1s"}, []string{"--min-duration -1s: give a time"}},
		{[]string{"search", store, "--log", "elsewhere"}, []string{"--log elsewhere: the store has no such log"}},
		{[]string{"stats", store, "--kind", "access"}, []string{"stats counts exchanges"}},
		{[]string{"show", store}, []string{"INDEX is missing"}},
		{[]string{"show", store, "0", "1"}, []string{"one argument too many"}},
		{[]string{"show", store, "first"}, []string{`"first" is not an index`, "gateway-1/41"}},
		{[]string{"show", store, "gateway/"}, []string{"is not an index"}},
		{[]string{"show", store, "99"}, []string{"has no record 99"}},
		{[]string{"show", store, "elsewhere/0"}, []string{"there is no log elsewhere"}},
		{[]string{"show", store, "0", "--format", "yaml"}, []string{`--format "yaml": use table or json`}},
		{[]string{"show", "0", "--store", "sqlite:" + nowhere}, []string{nowhere}},
	} {
		out, _, err := caddytest.AuditCommand(test.arguments...)
		if err == nil {
			t.Errorf("%v succeeded: %s", test.arguments, out)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, want %s", test.arguments, err, want)
			}
		}
	}
}

// TestCommandsMakeNoFile where there is none.
func TestCommandsMakeNoFile(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, arguments := range [][]string{{"search"}, {"show", "0"}, {"search", "--store", "sqlite:audit.db"}} {
		if _, _, err := caddytest.AuditCommand(arguments...); err == nil {
			t.Errorf("%v succeeded", arguments)
		}
	}
}
