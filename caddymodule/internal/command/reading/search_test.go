package reading_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestSearchPrintsATable, newest first.
func TestSearchPrintsATable(t *testing.T) {
	s := caddytest.Evidence(t)
	out, errs, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store)
	if err != nil || errs != "" {
		t.Fatalf("%v %s", err, errs)
	}
	const at = `20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}-03:00`
	want := []string{
		`INDEX  TIME +OPERATION +CUIT +PTOVTA  CBTETIPO  NUMBER  CAE +CODES +OUTCOME +CERTAINTY`,
		`7      ` + at + `  FECAESolicitar +20111111112  - +- +- +- +shape\.duplicate shape\.missing +malformed  not_sent`,
		`6      ` + at + `  FECAESolicitar +30000000007  1 +6 +1-2 +\d{14} \(2 of 2\)  - +approved +answered`,
		`4      ` + at + `  FECAESolicitar +- +- +- +- +- +\S+ +malformed  not_sent`,
		`3      ` + at + `  FECAESolicitar +20111111112  1 +6 +2 +- +10048 +refused +not_sent`,
		`2      ` + at + `  FECompUltimoAutorizado  20111111112  1 +6 +- +- +- +answered +answered`,
		`1      ` + at + `  FECAESolicitar +20111111112  1 +6 +1 +\d{14} +- +approved +answered`,
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out)
	}
	for i, line := range lines {
		if !regexp.MustCompile("^" + want[i] + "$").MatchString(line) {
			t.Errorf("line %d\n got %s\nwant %s", i, line, want[i])
		}
	}
}

// TestSearchFlagsNarrow: each by itself, beside the gateway and after it stopped.
func TestSearchFlagsNarrow(t *testing.T) {
	s := caddytest.Evidence(t)
	records := s.Records()
	cae, id, node := records[6].Vouchers[1].Code, records[1].ID, records[1].Node
	now := time.Now()
	for _, running := range []bool{true, false} {
		if !running {
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
		}
		for flags, want := range map[string]string{
			"":                           "7 6 4 3 2 1",
			"--cuit 30000000007":         "6",
			"--cuit 20111111112":         "7 3 2 1",
			"--pto-vta 1 --cbte-tipo 6":  "6 3 2 1",
			"--pto-vta 2":                "",
			"--cbte-tipo 11":             "",
			"--nro 2":                    "6 3",
			"--cuit 30000000007 --nro 2": "6",
			"--nro 3":                    "",
			"--cae " + cae:               "6",
			"--cae 00000000000000":       "",
			"--operation FECAESolicitar": "7 6 4 3 1",
			"--operation FEDummy":        "",
			"--outcome approved":         "6 1",
			"--outcome refused":          "3",
			"--outcome unknown":          "",
			"--since 1h":                 "7 6 4 3 2 1",
			"--since 7d --until 1h":      "",
			"--since 2000-01-01":         "7 6 4 3 2 1",
			"--until 2000-01-01":         "",
			"--since ayer --until hoy":   "7 6 4 3 2 1",
			"--since yesterday --until " + now.In(wsfev1.Argentina).Format("02/01/2006"): "7 6 4 3 2 1",
			"--since 2001-01 --until 2001-12":                                            "",
			"--receiver 30-71234567-1":                                                   "",
			"--limit 2":                                                                  "7 6",
			"--limit 2 --before 6":                                                       "4 3",
			"--limit 2 --before 3":                                                       "2 1",
			"--before 1":                                                                 "",
			"--finding 10048":                                                            "3",
			"--finding 10048 --limit 1":                                                  "3",
			"--finding 10048 --before 3":                                                 "",
			"--finding 10016":                                                            "",
			"--limit 0":                                                                  "7 6 4 3 2 1",
			"--outcome malformed --limit 1":                                              "7",
			"--since " + rfc(now, -time.Hour):                                            "7 6 4 3 2 1",
			"--since " + rfc(now, time.Hour):                                             "",
			"--until " + rfc(now, time.Hour):                                             "7 6 4 3 2 1",
			"--until " + rfc(now, -time.Hour):                                            "",
			"--outcome answered --cbte-tipo 6":                                           "2",
			"--id " + id:                                                                 "1",
			"--id " + id + "0":                                                           "",
			"--node " + node:                                                             "7 6 4 3 2 1",
			"--node elsewhere":                                                           "",
			"--client 127.0.0.1":                                                         "7 6 4 3 2 1",
			"--client 127.0.0.2":                                                         "",
			"--identity nobody":                                                          "",
			"--upstream nobody":                                                          "",
			"--certainty answered":                                                       "6 2 1",
			"--certainty unknown":                                                        "",
			"--decision refuse --limit 1":                                                "7",
			"--decision forward":                                                         "6 2 1",
			"--resultado A":                                                              "6 1",
			"--resultado R":                                                              "3",
			"--status 400":                                                               "7 4",
			"--min-duration 1h":                                                          "",
			"--min-duration 1ns":                                                         "7 6 4 3 2 1",
			"--kind outcome":                                                             "6 1",
			"--kind exchange":                                                            "7 4 3 2",
			"--kind intent":                                                              "",
			"--kind access":                                                              "",
			"--outcome open":                                                             "",
			"--finding shape.duplicate":                                                  "7",
			"--log " + node + " --limit 1":                                               "7",
		} {
			var got []string
			for _, line := range s.Search(strings.Fields(flags)...) {
				got = append(got, strings.Fields(line)[0])
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s (running %v) found %v, want %s", flags, running, got, want)
			}
		}
	}
}

func rfc(t time.Time, later time.Duration) string { return t.Add(later).Format(time.RFC3339) }

// TestSearchSaysWhenThereMayBeMore, and when there is nothing, beside the output.
func TestSearchSaysWhenThereMayBeMore(t *testing.T) {
	s := caddytest.Evidence(t)
	_, errs, _ := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--limit", "2")
	if errs != "2 shown, there may be older ones: go on with --before 6\n" {
		t.Errorf("said %q", errs)
	}
	for _, format := range []string{"table", "json"} {
		out, errs, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--cuit", "7", "--format", format)
		if out != "" || errs != "no exchange matches\n" || err != nil {
			t.Errorf("%s: %q, %q, %v", format, out, errs, err)
		}
	}
}

// TestSearchPrintsJSONLines with both bodies.
func TestSearchPrintsJSONLines(t *testing.T) {
	s := caddytest.Evidence(t)
	out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--format", "json")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 6 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	newest := caddytest.Response{Body: []byte(strings.Replace(lines[5], "\n", "", 1))}
	for pointer, want := range map[string]string{
		"/index": "1", "/kind": `"outcome"`, "/intent": "0", "/operation": `"FECAESolicitar"`, "/cuit": "20111111112",
		"/pto_vta": "1", "/cbte_tipo": "6", "/vouchers/0/cbte_desde": "1", "/vouchers/0/cbte_hasta": "1",
		"/vouchers/0/resultado": `"A"`, "/resultado": `"A"`, "/decision": `"forward"`, "/outcome": `"approved"`,
		"/certainty": `"answered"`, "/status": "200", "/client_address": `"127.0.0.1"`,
		"/request_length": fmt.Sprint(len(caddytest.Invoice(1))), "/answer/FeCabResp/Resultado": `"A"`,
	} {
		if got := newest.At(t, pointer); got != want {
			t.Errorf("%s is %s, want %s", pointer, got, want)
		}
	}
	if !strings.Contains(lines[0], `"request":{"Auth":{"Token":"hmac-sha256:`) {
		t.Errorf("the request with a name twice: %s", lines[0])
	}
	if strings.Contains(lines[2], `"request":`) {
		t.Errorf("the request that is not JSON: %s", lines[2])
	}
	if !strings.Contains(lines[3], `"findings":[{"code":"10048","severity":"EXC","action":"refuse",`) {
		t.Errorf("the finding of a rule: %s", lines[3])
	}
}

// TestWhoHasReadIsFoundByIdentity, with and without --kind access, also in records that have the way within it.
func TestWhoHasReadIsFoundByIdentity(t *testing.T) {
	at := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	kept := caddytest.KeptTrail(t,
		&audit.Record{Kind: audit.KindAccess, ID: "old", Time: at, ClientIdentity: "contadora (console)", Detail: "console search 1"},
		&audit.Record{Kind: audit.KindAccess, ID: "new", Time: at, ClientIdentity: "contadora", Way: audit.WayConsole, Detail: "console today"})
	for _, flags := range [][]string{nil, {"--kind", "access"}} {
		out, errs, err := caddytest.AuditCommand(append([]string{"search", "--store", "sqlite:" + kept.Store, "--identity", "contadora"}, flags...)...)
		if err != nil || strings.Count(out, "\n") != 3 || strings.Contains(out, "(console)") || !strings.Contains(out, "console search 1") {
			t.Errorf("%v: %v\n%s", flags, err, out)
		}
		if said := strings.Contains(errs, "shown is how the trail was read"); said != (flags == nil) {
			t.Errorf("%v: %s", flags, errs)
		}
	}
	out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+kept.Store, "--kind", "access", "--identity", "contadora", "--format", "json")
	if err != nil || strings.Count(out, `"client_identity":"contadora"`) != 2 || strings.Count(out, `"way":"console"`) != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = caddytest.AuditCommand("show", "--store", "sqlite:"+kept.Store, "1")
	if err != nil || !strings.Contains(out, "way") || !strings.Contains(out, "console") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSearchByReceiver finds each invoice of one, by its document in any form.
func TestSearchByReceiver(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	for i, document := range []string{`"DocTipo":96,"DocNro":12345678`, `"DocTipo":80,"DocNro":30500010912`, `"DocTipo":96,"DocNro":12345678`, `"DocTipo":99,"DocNro":0`} {
		s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(i+1), `"DocTipo":99,"DocNro":0`, document, 1))
	}
	ofSOAP := strings.Replace(caddytest.Invoice(5), `"DocTipo":99,"DocNro":0`, `"DocTipo":80,"DocNro":30500010912`, 1)
	if got := s.Send(soap.V11, "FECAESolicitar", s.Message(soap.V11, "FECAESolicitar", ofSOAP)); got.Status != http.StatusOK {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	records := s.Records()
	receivers := map[int64][]string{}
	for i, r := range slices.Backward(records) {
		if r.Kind == audit.KindIntent {
			continue
		}
		all := r.Receivers()
		if r.Kind == audit.KindOutcome {
			all = append(all, records[r.Intent].Receivers()...)
		}
		slices.Sort(all)
		for _, one := range slices.Compact(all) {
			receivers[one] = append(receivers[one], strconv.Itoa(i))
		}
	}
	if len(receivers) != 2 || len(receivers[12345678]) != 2 || len(receivers[30500010912]) != 2 {
		t.Fatalf("receivers: %v", receivers)
	}
	for receiver, want := range receivers {
		for _, flag := range []string{strconv.FormatInt(receiver, 10), dashed(receiver)} {
			var got []string
			for _, line := range s.Search("--receiver", flag) {
				got = append(got, strings.Fields(line)[0])
			}
			if !slices.Equal(got, want) {
				t.Errorf("--receiver %s found %v, want %v", flag, got, want)
			}
		}
	}
	for _, wrong := range []string{"", "x", "0", "20-1111111-12", "-5"} {
		if _, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--receiver="+wrong); err == nil || !strings.Contains(err.Error(), "--receiver") {
			t.Errorf("--receiver %q: %v", wrong, err)
		}
	}
}

// dashed returns a document as people write it: with dashes, if it is a CUIT.
func dashed(document int64) string {
	text := strconv.FormatInt(document, 10)
	if len(text) != 11 {
		return text
	}
	return text[:2] + "-" + text[2:10] + "-" + text[10:]
}
