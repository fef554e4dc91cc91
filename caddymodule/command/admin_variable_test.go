package command_test

import (
	"strings"
	"testing"
)

// TestTheAdminAPIOfTheVariableIsAsked where --admin is left out, and an error says so.
func TestTheAdminAPIOfTheVariableIsAsked(t *testing.T) {
	hold := "audit hold add --cuit 20111111112 --key-file none.key --store sqlite:" + trailOf(t, exchange())
	for _, test := range []struct{ variable, flag, want, not string }{
		{"127.0.0.1:1", "", "asking the gateway at 127.0.0.1:1: ", "and by"},
		{"127.0.0.1:1", "", "(named by FIELATO_ADMIN)", "and by"},
		{"127.0.0.1:1", " --admin 127.0.0.1:2", "asking the gateway at 127.0.0.1:2: ", "127.0.0.1:1"},
	} {
		t.Setenv("FIELATO_ADMIN", test.variable)
		got := words(hold + test.flag)
		if got.status() != 2 || !strings.Contains(got.err.Error(), test.want) || strings.Contains(got.err.Error(), test.not) {
			t.Errorf("FIELATO_ADMIN=%s%s: status %d, %v; want %q", test.variable, test.flag, got.status(), got.err, test.want)
		}
	}
	t.Setenv("FIELATO_ADMIN", "127.0.0.1:1")
	if got := words("login --now --cuit 20111111112"); got.status() != 2 || !strings.Contains(got.err.Error(), "127.0.0.1:1") {
		t.Errorf("login --now: status %d, %v", got.status(), got.err)
	}
	for _, line := range []string{"audit purge --help", "clients history --help", "login --help"} {
		if out := words(line).out; !strings.Contains(out, "FIELATO_ADMIN") {
			t.Errorf("%s:\n%s", line, out)
		}
	}
}
