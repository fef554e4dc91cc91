package command_test

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// busy makes a trail of several issuers, with lots, long names and everything that makes a row wide.
func busy(t *testing.T) string {
	t.Helper()
	var records []*audit.Record
	for i := range 12 {
		r := exchange()
		r.Time = recordedAt.Add(time.Duration(i) * time.Minute)
		r.Cuit, r.PtoVta, r.CbteTipo = wsfev1.CUIT([]int64{20111111112, 30500010912, 30500010912}[i%3]), int32(1+i%5), 6
		r.ClientIdentity, r.ClientAddress = "certificate CN=erp.of-a-company-with-a-long-name.example.com.ar,O=Example S.A.", "2001:db8:1234:5678:9abc:def0:1234:5678"
		r.Findings = []audit.Finding{{Code: "10016", Severity: "EXC", Action: "observe", Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/CbteDesde"}, {Code: "10048", Severity: "EXC", Action: "observe"}}
		first := int64(12345000 + 250*i)
		for n := range int64(1 + 249*(i%2)) {
			r.Vouchers = append(r.Vouchers, audit.Voucher{CbteDesde: first + n, CbteHasta: first + n, Code: "96470000000034", Resultado: wsfev1.Aprobado})
		}
		if i%4 == 3 {
			r.Operation, r.Outcome, r.Certainty = "FECAEASinMovimientoConsultar", "upstream_error", audit.Unknown
		}
		records = append(records, r)
	}
	return trailOf(t, records...)
}

// onTerminal runs a command on a terminal of so many columns.
func onTerminal(t *testing.T, columns int, line string) string {
	t.Helper()
	shown, err := printed(t, columns, line)
	if err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return shown
}

// shownOnTerminal is onTerminal of a command that may find something and then ends with an error.
func shownOnTerminal(t *testing.T, columns int, line string) string {
	t.Helper()
	shown, _ := printed(t, columns, line)
	return shown
}

func printed(t *testing.T, columns int, line string) (string, error) {
	t.Helper()
	t.Setenv("NO_COLOR", "1")
	terminal, shown := testrun.Terminal(t, columns)
	err := executeOn(terminal, io.Discard, append([]string{"wsfev1"}, strings.Fields(line)...))
	return shown(), err
}

// TestTablesFitTheTerminal of 80 columns, or a line names the missing columns. A pipe gets everything, and so does a wide
// terminal.
func TestTablesFitTheTerminal(t *testing.T) {
	path, config := busy(t), filepath.Join(t.TempDir(), "Caddyfile")
	if err := os.WriteFile(config, []byte(clientsAndReaders), 0o600); err != nil {
		t.Fatal(err)
	}
	store := " --store sqlite:" + path
	for line, want := range map[string]string{
		"audit search" + store:                                           "(80 columns; left out: ",
		"audit search --cuit 20111111112" + store:                        "the same in all rows: ",
		"audit stats" + store:                                            "FECAESolicitar",
		"audit stats --by outcome" + store:                               "upstream_error",
		"audit stats --by day" + store:                                   "2026-11-15",
		"audit stats --by finding,client" + store:                        "10016",
		"audit stats --by client,cuit,operation,outcome,finding" + store: "30500010912",
		"audit verify" + store:                                           "sound",
		"audit purge --before 2026-10 --dry-run" + store:                 "",
		"rules":                      "10048",
		"rules 10048 10016":          "10048",
		"clients --config " + config: "20111111112",
	} {
		got := onTerminal(t, 80, line)
		if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
			t.Errorf("%s: no %q in\n%s", line, want, got)
		}
		for text := range strings.Lines(got) {
			text = strings.TrimSuffix(text, "\n")
			if utf8.RuneCountInString(text) > 80 && !longWord.MatchString(text) {
				t.Errorf("%s: %d columns: %s", line, utf8.RuneCountInString(text), text)
			}
		}
	}
	wide, piped := onTerminal(t, 400, "audit search"+store), words("audit search"+store).out
	if wide != piped || strings.Contains(piped, "(") && strings.Contains(piped, "columns;") {
		t.Errorf("a wide terminal gets\n%s\na pipe\n%s", wide, piped)
	}
}

// longWord is a digest, a key or a path, which is not broken.
var longWord = regexp.MustCompile(`\S{60}`)

// clientsAndReaders is a configuration with a long table of clients.
const clientsAndReaders = `:8080 {
	wsfev1 {
		client shop-of-a-company-with-a-long-name {
			user shop
			certificate "CN=erp.of-a-company-with-a-long-name.example.com.ar,O=Example S.A."
			cuits 20-11111111-2 30-50001091-2
			pto_vta 1 2 3 4 5
			cbte_tipo 1 2 3 6 7 8
			may issue query tables
			max_amount 1500000
			rate 10/s burst 20
			share 2
		}
		client erp {
			certificate CN=erp,O=Example
			cuits *
			may *
		}
		reader desk {
			user desk
			cuits 30-50001091-2
			mask
		}
	}
	respond 204
}
`

// TestNumbersAreWholeOnATerminal: no CUIT, CAE or number of an invoice is cut, however narrow it is.
func TestNumbersAreWholeOnATerminal(t *testing.T) {
	got := onTerminal(t, 40, "audit search --store sqlite:"+busy(t))
	for _, want := range []string{"12345000 ", "12347750-12347999", "96470000000034"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestRulesAreCutOnATerminalAlone: a pipe gets every letter.
func TestRulesAreCutOnATerminalAlone(t *testing.T) {
	terminal, pipe := onTerminal(t, 80, "rules"), words("rules").out
	if !strings.Contains(terminal, "…") || strings.Contains(pipe, "…") {
		t.Errorf("the terminal gets\n%s\nthe pipe\n%s", terminal, pipe)
	}
	for _, rule := range rules.Catalogue() {
		if !strings.Contains(pipe, "  "+rule.English+"\n") || !strings.Contains(pipe, rule.Operations[0]) {
			t.Errorf("the pipe lacks a text of rule %d", rule.Code)
		}
	}
	if whole := onTerminal(t, 80, "rules 10048"); strings.Contains(whole, "…") {
		t.Errorf("%s", whole)
	}
}
