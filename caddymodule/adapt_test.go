package caddymodule_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

var update = flag.Bool("update", false, "write what the Caddyfiles adapt to into testdata/adapt instead of comparing")

const adaptSeparator = "----------\n"

// TestCaddyfilesAdapt holds each Caddyfile of testdata/adapt against the JSON, or a
// part of the error, that stands under its line of dashes.
func TestCaddyfilesAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	t.Setenv("FIELATO_TEST_AUDIT", "/srv/audit.db")
	t.Setenv("FIELATO_TEST_CUITS", "20-11111111-2 30000000007")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			caddyfile, want, found := strings.Cut(string(text), adaptSeparator)
			if !found {
				t.Fatal("no line of dashes")
			}
			isError := strings.HasPrefix(filepath.Base(file), "error_")
			got := adapt(t, caddyfile, isError)
			want = strings.TrimSpace(want)
			holds := got == want || isError && want != "" && strings.Contains(got, want)
			if *update && !holds { // what holds may be a part that stays the same on another day
				if err := os.WriteFile(file, []byte(caddyfile+adaptSeparator+got+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !holds {
				t.Errorf("got %s\nwant %s", got, want)
			}
		})
	}
}

// adapt returns the indented JSON of a Caddyfile, or the text of its error.
func adapt(t *testing.T, caddyfile string, isError bool) string {
	t.Helper()
	config, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), map[string]any{"filename": "Caddyfile"})
	if isError {
		if err == nil {
			t.Fatalf("adapted to %s", config)
		}
		return err.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Errorf("warning: %s", w)
	}
	value := jsontext.Value(config)
	if err := value.Indent(); err != nil {
		t.Fatal(err)
	}
	return string(value)
}

// TestValidateSaysWhatToDo: what can only be seen once the configuration is whole.
func TestValidateSaysWhatToDo(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, test := range []struct{ option, want string }{
		{"mode bogus", `unknown mode "bogus": use enforce or observe`},
		{"mode obsrve", "; did you mean observe?"},
		{"audit sqlit", "; did you mean sqlite?"},
		{"contract bogus", `unknown contract "bogus": use base or arca`},
		{"cuits 20111111112 20111111113", "cuits: 20111111113 is not a CUIT: its check digit, the last one, does not fit the others; look for the mistyped digit"},
		{"cuits 7", "cuits: 7 is not a CUIT: give its eleven digits, such as 20111111112 or 20-11111111-2"},
		{"cuits 20-1111-1111-2", `cuits: "20-1111-1111-2" is not a CUIT: give its eleven digits, such as 20111111112 or 20-11111111-2, without spaces`},
		{"audit sqlite {env.FIELATO_NOT_SET}/audit.db", "FIELATO_NOT_SET"},
		{"audit sqlite audit.db", ""},
		{"audit sqlite audit.db {\n checkpoint_to kept\n }", ""},
		{"audit sqlite audit.db {\n checkpoint_to http://example.com/\n }", "checkpoint_to: give an https URL (http for this machine alone), or a file"},
		{"mode observe", ""},
	} {
		err := caddytest.Provision(t, []byte("http://localhost:80 {\n wsfev1 {\n "+test.option+"\n }\n respond ok\n}\n"))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %s", test.option, err, test.want)
		}
	}
}

// TestJSONConfigurationIsValidatedToo: it does not pass through the Caddyfile.
func TestJSONConfigurationIsValidatedToo(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, test := range []struct{ members, want string }{
		{`"max_body":-1`, "max_body -1: give a size from 1KiB to 1GiB, such as 4MiB"},
		{`"max_bodies":1048575`, "max_bodies 1048575: give a size from 1MiB to 64GiB, such as 8MiB"},
		{`"max_answer":5`, "max_answer 5: give a size from 64KiB to 1GiB, such as 16MiB"},
		{`"max_answers":68719476737`, "max_answers 68719476737: give a size from 1MiB to 64GiB, such as 16MiB"},
		{`"upstream_timeout":-1`, "upstream_timeout is negative: give a duration such as 2m"},
		{`"audit":{"store":"mongodb"}`, "mongodb"},
		{`"modus":"enforce"`, "modus"},
		{`"cuits":["20-11111111-3"]`, "cuits: 20111111113 is not a CUIT: its check digit"},
		{`"cuits":["20 11111111 2"]`, `"20 11111111 2" is not a CUIT: give its eleven digits`},
		{`"trail":{"checkpoint_to":[{"to":"kept","interval":1}]}`, "checkpoint_to: the interval 1ns is too short: give at least 1s"},
	} {
		if err := caddytest.ValidateJSON(t, `{"handler":"wsfev1",`+test.members+`}`); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.members, err, test.want)
		}
	}
}

// TestTheExampleIsValid, in both of its forms, and validating it makes no file.
func TestTheExampleIsValid(t *testing.T) {
	example, err := os.ReadFile("../Caddyfile.example")
	if err != nil {
		t.Fatal(err)
	}
	caddytest.InEmptyFolder(t)
	t.Setenv("FIELATO_UPSTREAM", "http://127.0.0.1:1")
	if err := caddytest.Provision(t, example); err != nil {
		t.Error(err)
	}
	forwarding := forwardingForm(t, string(example))
	if err := caddytest.Provision(t, []byte(forwarding)); err != nil {
		t.Errorf("%v\n%s", err, forwarding)
	}
	adapted := adapt(t, forwarding, false)
	for _, want := range []string{
		`"handler": "wsfev1"`, `"handler": "reverse_proxy"`, `"dial_timeout": 3000000000`,
		`"response_header_timeout": 65000000000`, `"uri": "/api/wsfev1/FEDummy"`,
	} {
		if !strings.Contains(adapted, want) {
			t.Errorf("the forwarding form does not have %s", want)
		}
	}
	if strings.Contains(adapted, "wsfev1_backend") || strings.Contains(adapted, "retries") {
		t.Errorf("the forwarding form has what it must not have:\n%s", adapted)
	}
}

// forwardingForm makes the change that the example describes to its reader: it removes
// wsfev1_backend and uses the reverse_proxy that stands there in comments.
func forwardingForm(t *testing.T, example string) string {
	t.Helper()
	before, rest, found := strings.Cut(example, "\twsfev1_backend {\n")
	_, comments, hasEnd := strings.Cut(rest, "\n\t}\n")
	if !found || !hasEnd {
		t.Fatal("the example has no wsfev1_backend")
	}
	at := strings.Index(comments, "\t# reverse_proxy")
	if at < 0 {
		t.Fatal("the example has no reverse_proxy in comments")
	}
	var out bytes.Buffer
	out.WriteString(before)
	for line := range strings.Lines(comments[at:]) {
		if uncommented, ok := strings.CutPrefix(line, "\t# "); ok {
			line = "\t" + uncommented
		} else if line == "\t#\n" {
			line = "\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// TestTheOptionsInTheExampleAreValid: each line that is commented out there can be
// taken as it stands.
func TestTheOptionsInTheExampleAreValid(t *testing.T) {
	example, err := os.ReadFile("../Caddyfile.example")
	if err != nil {
		t.Fatal(err)
	}
	caddytest.InEmptyFolder(t)
	text := string(example)
	for _, option := range []string{
		"grace_period 3m", "log", "contract arca", "mode enforce", "max_body 4MiB", "cuits 20111111112 30000000007", "upstream_timeout 2m",
	} {
		with := strings.Replace(text, "# "+option+"\n", option+"\n", 1)
		if with == text {
			t.Errorf("the example does not have %q", option)
		}
		text = with
	}
	if err := caddytest.Provision(t, []byte(text)); err != nil {
		t.Error(err)
	}
}
