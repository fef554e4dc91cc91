package command_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// ledgerOf is a ledger with two invoices, which a service issued.
func ledgerOf(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	s := caddytest.Start(t, "wsfev1_backend {\n\t\tledger sqlite "+path+"\n\t}")
	for number := range 2 {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(number+1)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
			t.Fatalf("%s", got.Body)
		}
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

// mustRun runs a command that must end well, and returns what it printed and said.
func mustRun(t *testing.T, stdin string, arguments ...string) (out, errs string) {
	t.Helper()
	out, errs, err := wsfev1Command(stdin, arguments...)
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return out, errs
}

func TestALedgerGoesFromOneServiceToAnother(t *testing.T) {
	from, folder := ledgerOf(t), t.TempDir()
	state := filepath.Join(folder, "state.jsonl")
	out, said := mustRun(t, "", "ledger", "export", "--ledger", from, "--output", state)
	if out != "" || said != "exported from "+from+": invoices 2, CAEAs 0, declarations without movement 0\n" {
		t.Errorf("printed %q, said %q", out, said)
	}
	if info, err := os.Stat(state); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	exported, err := os.ReadFile(state)
	if err != nil || bytes.Count(exported, []byte("\n")) != 4 {
		t.Fatalf("%v, exported\n%s", err, exported)
	}
	// By file into a new ledger in a new folder, by pipe into another one.
	byFile, byPipe := "sqlite:"+filepath.Join(folder, "new", "a.db"), "sqlite:"+filepath.Join(folder, "b.db")
	if _, said := mustRun(t, "", "ledger", "import", "--ledger", byFile, state); said !=
		"imported into "+byFile+": invoices 2, CAEAs 0, declarations without movement 0\n" {
		t.Errorf("said %q", said)
	}
	mustRun(t, string(exported), "ledger", "import", "--ledger", byPipe, "-")
	for _, ledger := range []string{byFile, byPipe} {
		if out, _ := mustRun(t, "", "ledger", "export", "--ledger", ledger); out != string(exported) {
			t.Errorf("%s exports\n%s\nwant\n%s", ledger, out, exported)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 3 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// The service goes on where the other one stopped.
	s := caddytest.Start(t, "wsfev1_backend {\n\t\tledger sqlite "+strings.TrimPrefix(byFile, "sqlite:")+"\n\t}")
	got := s.Post("FECAESolicitar", caddytest.Invoice(3))
	code := strings.Trim(got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE"), `"`)
	if got.At(t, "/FeCabResp/Resultado") != `"A"` || code == "" || bytes.Contains(exported, []byte(code)) {
		t.Errorf("number 3: %s", got.Body)
	}
	if got := s.Post("FECompConsultar", "{"+caddytest.AuthText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":2,"PtoVta":1}}`); got.At(t, "/ResultGet/ImpTotal") != "121" {
		t.Errorf("number 2: %s", got.Body)
	}
}

func TestALedgerIsImportedAndEmptiedUnderAServiceAtWork(t *testing.T) {
	state, _ := mustRun(t, "", "ledger", "export", "--ledger", ledgerOf(t))
	path := filepath.Join(t.TempDir(), "ledger.db")
	ledger := "sqlite:" + path
	s := caddytest.Start(t, "wsfev1_backend {\n\t\tledger sqlite "+path+"\n\t}")
	last := func() string {
		return s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`).At(t, "/CbteNro")
	}
	if got := last(); got != "0" {
		t.Errorf("at the start the last number is %s", got)
	}
	mustRun(t, state, "ledger", "import", "--ledger", ledger, "-")
	if got := last(); got != "2" {
		t.Errorf("after the import the last number is %s", got)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(3)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("%s", got.Body)
	}
	if out, said := mustRun(t, "", "ledger", "reset", "--ledger", ledger, "--yes"); out != "" || !strings.HasPrefix(said, "emptied "+ledger+": series removed 1\n") {
		t.Errorf("printed %q, said %q", out, said)
	}
	if got := last(); got != "0" {
		t.Errorf("after the reset the last number is %s", got)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("%s", got.Body)
	}
}

func TestAFailedExportLeavesTheFileThatWasThere(t *testing.T) {
	folder := t.TempDir()
	state := filepath.Join(folder, "state.jsonl")
	text := filepath.Join(folder, "ledger.db")
	for name, content := range map[string]string{state: "before", text: strings.Repeat("no ledger\n", 100)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := wsfev1Command("", "ledger", "export", "--ledger", "sqlite:"+text, "--output", state); err == nil {
		t.Error("a text was exported")
	}
	if got, err := os.ReadFile(state); err != nil || string(got) != "before" {
		t.Errorf("%s, %v", got, err)
	}
	command := checkOf(strings.NewReader(""), failingWriter{})
	command.SetArgs([]string{"ledger", "export", "--ledger", ledgerOf(t)})
	if err := command.Execute(); err == nil || !strings.Contains(err.Error(), "closed pipe") {
		t.Errorf("a closed output: %v", err)
	}
}

// endsWith runs the command as a process of its own, the whole way through Caddy's main
// function.
func endsWith(t *testing.T, stdin, arguments string) (status int, said string) {
	t.Helper()
	process := caddytest.CommandProcess(t, "wsfev1 "+arguments)
	process.Stdin = strings.NewReader(stdin)
	var errs strings.Builder
	process.Stderr = &errs
	if err := process.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return process.ProcessState.ExitCode(), strings.TrimSpace(errs.String())
}

func TestLedgerCommandsEndWithTheRightStatus(t *testing.T) {
	files(t, map[string]string{
		"empty.jsonl": `{"kind":"ledger","form":"fielato-ledger","version":1}` + "\n" + `{"kind":"end"}`,
		"cut.jsonl":   `{"kind":"ledger","form":"fielato-ledger","version":1}` + "\n",
		"nothing.db":  "",
	})
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arguments string
		status    int
		says      string
	}{
		{"ledger export --ledger sqlite:none.db", 2, "Error: there is no ledger none.db: give the path that the built-in service is configured with"},
		{"ledger reset --ledger sqlite:none.db --yes", 2, "Error: there is no ledger none.db: give the path that the built-in service is configured with"},
		{"ledger import --ledger sqlite:none.db none.jsonl", 2, "Error: give a file that ledger export wrote, or - for the standard input: open none.jsonl: no such file or directory"},
		{"ledger import --ledger sqlite:none.db " + folder, 2, "Error: " + folder + " is a folder: give a file that ledger export wrote"},
		{"ledger export --ledger sqlite:nothing.db", 2, "Error: nothing.db is empty: no service has written a ledger to it yet"},
		{"ledger reset --ledger sqlite:nothing.db --yes", 2, "Error: nothing.db is empty: no service has written a ledger to it yet"},
		{"ledger import --ledger sqlite:a.db empty.jsonl", 0, "imported into sqlite:a.db: invoices 0, CAEAs 0, declarations without movement 0"},
		{"ledger import --ledger sqlite:a.db cut.jsonl", 2, `Error: import: nothing was imported: line 1: the last line is not of kind "end": the file was cut`},
		{"ledger import --ledger sqlite:a.db -", 2, `Error: import: nothing was imported: line 0: the last line is not of kind "end": the file was cut`},
		{"ledger export --ledger sqlite:a.db", 0, "exported from sqlite:a.db: invoices 0, CAEAs 0, declarations without movement 0"},
		{"ledger export --ledger sqlite:a.db --output none/x.jsonl", 2, "Error: --output none/x.jsonl: "},
		{"ledger reset --ledger sqlite:a.db", 2, "Error: reset removes every invoice of the ledger: give --yes to confirm"},
		{"ledger reset --ledger sqlite:a.db --yes", 0, "emptied sqlite:a.db: series removed 0"},
		{"ledger export --ledger a.db", 2, `Error: --ledger: give sqlite:PATH`},
		{"ledger export --nope", 2, "Error: unknown flag: --nope"},
		{"ledger export more", 2, `Error: "more": this command takes flags and no arguments`},
		{"ledger import --ledger sqlite:a.db", 2, "Error: FILE is missing: what ledger export wrote"},
		{"ledger nope", 2, `Error: unknown command "nope" for`},
		{"ticket", 2, "Error: a ticket needs the CUITs for which it acts"},
		{"ticket --cuit 20111111112", 0, ""},
	} {
		if status, said := endsWith(t, "", c.arguments); status != c.status || !strings.HasPrefix(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s: status %d, want %d, saying %q, want %q", c.arguments, status, c.status, said, c.says)
		}
	}
	if _, err := os.Stat("none.db"); !os.IsNotExist(err) {
		t.Errorf("a ledger was made: %v", err)
	}
}
