package command_test

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestCheckEndsWithTheRightStatus: the whole way through Caddy's own main function.
func TestCheckEndsWithTheRightStatus(t *testing.T) {
	files(t, map[string]string{"clean.json": caddytest.Invoice(1), "wrong.json": wrongTotal(), "text.json": "not JSON"})
	for arguments, want := range map[string]struct {
		status int
		says   string
	}{
		"check clean.json":                         {0, "1 document, 0 refused, 0 unreadable"},
		"check wrong.json --rule 10048=observe":    {0, "1 document, 0 refused, 0 unreadable"},
		"check clean.json wrong.json":              {1, "2 documents, 1 refused, 0 unreadable"},
		"check --format json wrong.json":           {1, ""},
		"check --operation FEDummy clean.json":     {1, "1 document, 1 refused, 0 unreadable"},
		"check wrong.json text.json clean.json":    {2, "3 documents, 1 refused, 1 unreadable"},
		"check --format json none.json wrong.json": {2, ""},
		"check":                          {2, "Error: FILE is missing: a file with requests, or - for the standard input"},
		"check --nope clean.json":        {2, "Error: unknown flag: --nope"},
		"check --operation X clean.json": {2, `Error: --operation "X": no such operation; names are exact, such as FECAESolicitar`},
		"rules 1":                        {2, "Error: no rule has the code 1"},
		"rules 10048 --format json --operation none": {2, `Error: --operation "none": no such operation; names are exact, such as FECAESolicitar`},
	} {
		t.Run(arguments, func(t *testing.T) {
			process := caddytest.CommandProcess(t, "wsfev1 "+arguments)
			var errs strings.Builder
			process.Stderr = &errs
			err := process.Run()
			if exited := new(exec.ExitError); err != nil && !errors.As(err, &exited) {
				t.Fatal(err)
			}
			if got := process.ProcessState.ExitCode(); got != want.status || strings.TrimSpace(errs.String()) != want.says {
				t.Errorf("status %d, want %d, saying %q, want %q", got, want.status, errs.String(), want.says)
			}
		})
	}
}

func TestCheckSaysWhatToDo(t *testing.T) {
	for arguments, want := range map[string]string{
		"":                              "FILE is missing: a file with requests",
		"- --nope":                      "unknown flag: --nope",
		"- --format table":              `--format "table": use text or json`,
		"- --operation fedummy":         `--operation "fedummy": no such operation; names are exact, such as FECAESolicitar`,
		"- --contract x":                `--contract: unknown contract "x": use base or arca`,
		"- --now yesterday":             `--now "yesterday": give a moment such as 2026-11-20T15:04:05-03:00`,
		"- --now 2026-11-20":            `--now "2026-11-20": give a moment`,
		"- --rule 10048":                `--rule "10048": give a code and a level, such as 10048=observe`,
		"- --rule x=off":                `--rule "x=off": "x" is not a code`,
		"- --rule 1=off":                "no rule has the code 1",
		"- --rule 10048=no":             `rule 10048: unknown level "no": use enforce, observe or off`,
		"- --rule 10000=off":            "rule 10000 is decided by the service alone",
		"- --rule 700=off --rule 700=x": `--rule "700=x": the rule is given twice`,
		"- --contract base --operation FECAEAConsultar": `--operation "FECAEAConsultar": the contract base has no such operation`,
	} {
		out, errs, err := wsfev1Command(caddytest.Invoice(1), append([]string{"check"}, strings.Fields(arguments)...)...)
		if err == nil || out != "" || !strings.Contains(err.Error(), want) || !strings.HasPrefix(errs, "Error: ") {
			t.Errorf("check %s: %q, %q, %v, want %s", arguments, out, errs, err, want)
		}
	}
}

// manyLines is a file of so many documents, made while it is read. It measures what
// the process keeps after a tenth and at the end.
type manyLines struct {
	line         string
	lines, given int
	at           int
	early, late  uint64
}

func (m *manyLines) Read(p []byte) (int, error) {
	if m.given == m.lines {
		return 0, io.EOF
	}
	n := copy(p, m.line[m.at:])
	if m.at += n; m.at == len(m.line) {
		m.at, m.given = 0, m.given+1
		switch m.given {
		case m.lines / 10:
			m.early = heapInUse()
		case m.lines:
			m.late = heapInUse()
		}
	}
	return n, nil
}

func heapInUse() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// failingWriter is an output that is closed.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// checkOf prepares `wsfev1 check` in this process.
func checkOf(in io.Reader, out io.Writer, arguments ...string) *cobra.Command {
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(io.Discard)
	root.SetArgs(append([]string{"check"}, arguments...))
	return root
}

// TestCheckNeedsNoMoreMemoryForMoreDocuments.
func TestCheckNeedsNoMoreMemoryForMoreDocuments(t *testing.T) {
	input := &manyLines{line: wrongTotal() + "\n", lines: 20_000}
	if err := checkOf(input, io.Discard, "--format", "json", "-").Execute(); err == nil {
		t.Error("nothing was refused")
	}
	if input.given != input.lines || input.early == 0 || input.late > input.early+1<<20 {
		t.Errorf("%d bytes kept after %d documents, %d after %d", input.early, input.lines/10, input.late, input.given)
	}
}

// TestCheckFailsWhereItCannotPrint: a status of 0 would say that all is well.
func TestCheckFailsWhereItCannotPrint(t *testing.T) {
	err := checkOf(strings.NewReader(wrongTotal()), failingWriter{}, "-").Execute()
	if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(fmt.Sprint(err), "printing") {
		t.Errorf("%v", err)
	}
}
