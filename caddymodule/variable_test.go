package caddymodule_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
)

// TestAVariableThatStandsForNothingIsAnError in every option: without it the option would mean
// something else, such as another file for the trail.
func TestAVariableThatStandsForNothingIsAnError(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("FIELATO_TEST_EMPTY", "")
	t.Setenv("FIELATO_TEST_SET", "here.db")
	for _, test := range []struct{ option, want string }{
		{"audit sqlite {$FIELATO_TEST_UNSET}", "audit: the variable FIELATO_TEST_UNSET is not set: set it, write {$FIELATO_TEST_UNSET:value} for a default"},
		{"audit sqlite {$FIELATO_TEST_UNSET} {\n log_reads\n }", "FIELATO_TEST_UNSET is not set"},
		{"audit sqlite {$FIELATO_TEST_UNSET}/audit.db", "FIELATO_TEST_UNSET is not set"},
		{`audit sqlite "{$FIELATO_TEST_UNSET}"`, "FIELATO_TEST_UNSET is not set"},
		{"audit sqlite {$FIELATO_TEST_EMPTY:./audit.db}", "FIELATO_TEST_EMPTY is set to nothing"},
		{"audit sqlite here.db {\n checkpoint_to {$FIELATO_TEST_UNSET}\n }", "checkpoint_to: the variable FIELATO_TEST_UNSET is not set"},
		{"ticket check {$FIELATO_TEST_UNSET}", "ticket: the variable FIELATO_TEST_UNSET is not set"},
		{"cuits {$FIELATO_TEST_UNSET}", "cuits: the variable FIELATO_TEST_UNSET is not set"},
		{`audit sqlite ""`, "the path is empty"},
		{"audit sqlite {$FIELATO_TEST_SET}", ""},
		{"audit sqlite {$FIELATO_TEST_UNSET:./audit.db}", ""},
		{"audit sqlite {$FIELATO_TEST_UNSET:} # as if it were not there", ""},
		{"audit sqlite here.db # or {$FIELATO_TEST_UNSET}", ""},
		{"audit sqlite {env.FIELATO_TEST_UNSET}", ""},
		{"# audit sqlite {$FIELATO_TEST_UNSET}", ""},
		{"audit sqlite", ""},
	} {
		text := "http://localhost:8080 {\n\twsfev1 {\n\t\t" + test.option + "\n\t}\n\twsfev1_backend\n}\n"
		wantAdapted(t, text, test.want)
	}
	wantAdapted(t, "http://localhost:8080 {\n\twsfev1_backend {\n\t\tledger sqlite {$FIELATO_TEST_UNSET}\n\t}\n}\n",
		"ledger: the variable FIELATO_TEST_UNSET is not set")
	part := filepath.Join(t.TempDir(), "gateway")
	if err := os.WriteFile(part, []byte("wsfev1 {\n\taudit sqlite {$FIELATO_TEST_UNSET}\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantAdapted(t, "http://localhost:8080 {\n\timport "+part+"\n\twsfev1_backend\n}\n", "FIELATO_TEST_UNSET is not set")
	wantAdapted(t, "(g) {\n\twsfev1 {\n\t\taudit sqlite {$FIELATO_TEST_UNSET}\n\t}\n}\nhttp://localhost:8080 {\n\timport g\n\twsfev1_backend\n}\n",
		"FIELATO_TEST_UNSET is not set")
}

// wantAdapted adapts a Caddyfile that lies in the current folder. The error has want in it; there
// is none if want is empty.
func wantAdapted(t *testing.T, text, want string) {
	t.Helper()
	if err := os.WriteFile("Caddyfile", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": "Caddyfile"})
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%v, want %q for\n%s", err, want, text)
	}
}
