package tickets_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
)

// tree makes empty files below a folder, which becomes the working one.
func tree(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, file := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// found returns the certificates that a pattern stands for, each with its key.
func found(t *testing.T, certificate, key string) (all []string) {
	t.Helper()
	p, err := tickets.Prepare([]tickets.Options{{Login: "homo", Certificate: certificate, Key: key}}, time.Now())
	if err != nil {
		t.Fatalf("%s: %v", certificate, err)
	}
	for _, o := range p.Blocks {
		all = append(all, strings.TrimSpace(filepath.ToSlash(o.Certificate+" "+o.Key)))
	}
	return all
}

// TestFilesOfAPattern, with the key of each: wildcards are a shell's.
func TestFilesOfAPattern(t *testing.T) {
	tree(t, "customers/norte/arca.crt", "customers/sur/arca.crt", "customers/sur/2026.crt", "customers/a-b/x-1.crt", "customers/a-b/x-2.crt",
		"customers/.hidden/arca.crt", "customers/readme", "customers/sur/folder.crt/arca.crt", "customers/[1]/arca.crt", "customers/a+b$/arca.crt", "customers/ñ/arca.crt")
	t.Setenv("CUSTOMERS", "customers")
	t.Setenv("ODD", "[1]")
	for pattern, want := range map[string][]string{
		"customers/*/arca.crt key customers/*/arca.key": {
			"customers/[1]/arca.crt customers/[1]/arca.key", "customers/a+b$/arca.crt customers/a+b$/arca.key", "customers/norte/arca.crt customers/norte/arca.key",
			"customers/sur/arca.crt customers/sur/arca.key", "customers/ñ/arca.crt customers/ñ/arca.key",
		},
		"./customers/s*/*.crt key ./keys/*-*.pem":        {"./customers/sur/2026.crt ./keys/ur-2026.pem", "./customers/sur/arca.crt ./keys/ur-arca.pem"},
		"customers/a-b/x-?.crt key customers/x?":         {"customers/a-b/x-1.crt customers/x1", "customers/a-b/x-2.crt customers/x2"},
		"customers/a-b/x-[^0-1].crt key one.key":         {"customers/a-b/x-2.crt one.key"},
		"customers/[[]*/arca.crt":                        {"customers/[1]/arca.crt"},
		"customers/[m-o]*/arca.crt":                      {"customers/norte/arca.crt"},
		"customers/?/arca.crt":                           {"customers/ñ/arca.crt"},
		"customers/.*/arca.crt":                          {"customers/.hidden/arca.crt"},
		"{env.CUSTOMERS}/nor*/arca.crt":                  {"customers/norte/arca.crt"},
		"customers/{env.ODD}/a*.crt key {env.ODD}/*.key": {"customers/[1]/arca.crt [1]/rca.key"},
		`customers/\[1\]/a*.crt`:                         {"customers/[1]/arca.crt"},
		"customers/*":                                    {"customers/readme"},
		"*/*/*/arca.crt":                                 {"customers/sur/folder.crt/arca.crt"},
		"nowhere/*/arca.crt":                             nil,
		"customers/readme/*.crt":                         nil,
		"customers/*/nothing":                            nil,
	} {
		certificate, key, _ := strings.Cut(pattern, " key ")
		if got := found(t, certificate, key); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", pattern, got, want)
		}
	}
	absolute, err := filepath.Abs("customers")
	if err != nil {
		t.Fatal(err)
	}
	if got := found(t, absolute+"/no*/arca.crt", ""); len(got) != 1 || !filepath.IsAbs(got[0]) {
		t.Errorf("%q", got)
	}
}

// TestMistakesInAPattern are errors that say what to write.
func TestMistakesInAPattern(t *testing.T) {
	tree(t, "one.crt")
	for want, o := range map[string]tickets.Options{
		"Caddyfile:3: wsaa homo: cuits: leave them out":                           {Certificate: "*.crt", Cuits: []directive.CUIT{20111111112}},
		"key *-*.key has 2 wildcards, and certificate *.crt has 1: write as many": {Certificate: "*.crt", Key: "*-*.key"},
		"certificate [.crt: [ has no ] that ends it":                              {Certificate: "[.crt"},
		"certificate [z-a]: [ has no ]":                                           {Certificate: "[z-a]"},
		"key ]*[: [ has no ]":                                                     {Certificate: "*.crt", Key: "]*["},
		"the path is not UTF-8":                                                   {Certificate: "*\xff"},
		"cuits: name the CUITs":                                                   {Certificate: "one.crt"},
	} {
		o.Login, o.Line = "homo", "Caddyfile:3"
		if _, err := tickets.Prepare([]tickets.Options{o}, time.Now()); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "Caddyfile:3: ") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestAPatternOfTooManyFiles is an error before any of them is read.
func TestAPatternOfTooManyFiles(t *testing.T) {
	tree(t)
	for i := range 10_001 {
		if err := os.Mkdir(strings.Repeat("x", i%200)+"-"+time.Duration(i).String(), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	_, err := tickets.Prepare([]tickets.Options{{Login: "homo", Certificate: "*/arca.crt"}}, time.Now())
	if err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Error(err)
	}
}

// TestAPlaceholderOfAPattern that stands for nothing concerns its block alone, as with a single file.
func TestAPlaceholderOfAPattern(t *testing.T) {
	if got := found(t, "{env.NOT_SET_ANYWHERE}/*/arca.crt", ""); !slices.Equal(got, []string{"{env.NOT_SET_ANYWHERE}/*/arca.crt"}) {
		t.Errorf("%q", got)
	}
}

// TestAFolderThatCannotBeRead is not one without customers.
func TestAFolderThatCannotBeRead(t *testing.T) {
	tree(t, "customers/norte/1.crt")
	if err := os.Symlink("sur", "customers/sur"); err != nil { // a loop, which root cannot read either
		t.Fatal(err)
	}
	if got := found(t, "customers/*/*.crt", ""); !slices.Equal(got, []string{"customers/norte/1.crt", "customers/sur/"}) {
		t.Errorf("%q", got)
	}
}
