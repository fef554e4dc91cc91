package command_test

import (
	"strings"
	"testing"
)

// TestTheStoreOfTheVariableIsTaken where --store is left out, by every command that has it.
func TestTheStoreOfTheVariableIsTaken(t *testing.T) {
	path := trailOf(t, exchange())
	t.Setenv("FIELATO_STORE", "sqlite:"+path)
	for _, line := range []string{
		"audit search", "audit stats", "audit show 0", "audit outages", "audit verify", "audit checkpoint", "audit prove 0", "audit hold list",
		"audit purge --before 2016-01 --dry-run", "audit export --output " + t.TempDir(), "migrate", "migrate --dry-run",
		"audit evidence --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 15 --output " + t.TempDir() + "/x.zip",
	} {
		got := words(line)
		if got.err != nil && !strings.Contains(got.err.Error(), path) {
			t.Errorf("%s: %v", line, got.err)
		}
	}
	if got := words("audit search"); got.err != nil || !strings.Contains(got.out, "20111111112") {
		t.Errorf("search: %v\n%s", got.err, got.out)
	}
	if got := words("migrate"); got.err != nil || !strings.Contains(got.out, "sqlite:"+path+": nothing to do") {
		t.Errorf("migrate: %v\n%s", got.err, got.out)
	}
	if got := words("migrate --ledger sqlite:ledger.db"); got.err != nil || strings.Contains(got.out, path) {
		t.Errorf("migrate of the ledger alone: %v\n%s", got.err, got.out)
	}
	other := trailOf(t)
	if got := words("audit search --store sqlite:" + other); got.err != nil || got.out != "" {
		t.Errorf("--store counts before the variable: %v\n%s", got.err, got.out)
	}
}

// TestAnErrorSaysWhereTheStoreCameFrom, unless the command line names it.
func TestAnErrorSaysWhereTheStoreCameFrom(t *testing.T) {
	none := t.TempDir() + "/none.db"
	if got := words("audit search --store sqlite:" + none); got.err == nil || strings.Contains(got.err.Error(), "(the store is") {
		t.Errorf("--store: %v", got.err)
	}
	for value, want := range map[string]string{
		"":                "audit.db, the default path, as neither --store nor FIELATO_STORE is set)",
		"sqlite:" + none:  "(the store is sqlite:" + none + ", named by FIELATO_STORE)",
		"mongodb:x":       "FIELATO_STORE: give sqlite:PATH",
		"postgres:{env.}": "FIELATO_STORE: ",
	} {
		t.Setenv("FIELATO_STORE", value)
		for _, line := range []string{"audit search", "audit show 0", "audit verify", "audit hold list", "audit purge --before 2016-01 --yes"} {
			if got := words(line); got.err == nil || !strings.Contains(got.err.Error(), want) {
				t.Errorf("FIELATO_STORE=%s %s: %v; want %s", value, line, got.err, want)
			}
		}
	}
	t.Setenv("FIELATO_STORE", "sqlite:"+trailOf(t, exchange()))
	if got := words("audit show 99"); got.err == nil || !strings.Contains(got.err.Error(), "has no record 99 (the store is sqlite:") {
		t.Errorf("a record that is not there: %v", got.err)
	}
}

// TestTheHelpNamesTheStoreOfTheVariable, without its password.
func TestTheHelpNamesTheStoreOfTheVariable(t *testing.T) {
	for value, want := range map[string]string{
		"":                 "(default: that of the environment variable FIELATO_STORE, or the gateway's own default path)",
		"sqlite:./some.db": "FIELATO_STORE, which is sqlite:./some.db now)",
		"nonsense":         "FIELATO_STORE, which names none now)",
		"postgres://reader:hidden@db.example/invoices": "db.example",
	} {
		t.Setenv("FIELATO_STORE", value)
		for _, command := range []string{"audit search", "audit hold add"} {
			out := words(command + " --help").out
			if !strings.Contains(out, want) || strings.Contains(out, "hidden") {
				t.Errorf("FIELATO_STORE=%s %s:\n%s", value, command, out)
			}
		}
	}
}
