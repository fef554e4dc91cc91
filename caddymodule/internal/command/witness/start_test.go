package witnesscmd_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func writeFile(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTheKeyIsMadeOnce, for its owner alone.
func TestTheKeyIsMadeOnce(t *testing.T) {
	s := newSite(t)
	text, err := os.ReadFile(s.key)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{s.key, s.key + ".signed"} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
	s.start()
	if again, err := os.ReadFile(s.key); err != nil || string(again) != string(text) {
		t.Errorf("the start has changed the key: %v", err)
	}
}

// TestTheKeyIsMadeInTheFolderOfTheUser: a path need not have a folder.
func TestTheKeyIsMadeInTheFolderOfTheUser(t *testing.T) {
	t.Chdir(t.TempDir())
	out, errs, err := caddytest.RunCommand("witness", "--key", "w.key", "--name", name, "--print-key")
	if err != nil || !strings.HasPrefix(out, name+"+") {
		t.Fatalf("%q, %v\n%s", out, err, errs)
	}
	if again, _, err := caddytest.RunCommand("witness", "--key", "w.key", "--print-key"); err != nil || again != out {
		t.Errorf("%q, %v", again, err)
	}
}

// TestWhatKeepsAWitnessFromStarting, in words that say what to do.
func TestWhatKeepsAWitnessFromStarting(t *testing.T) {
	s := newSite(t)
	log := s.log.Verifier()
	open := writeFile(t, s.folder, "open.key", "x")
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	state := writeFile(t, s.folder, "bad.state", "fielato witness state 1\n")
	for name, c := range map[string]struct {
		arguments []string
		want      string
	}{
		"no key":             {[]string{"--store", s.store, "--log", log}, "--key is missing"},
		"no store":           {[]string{"--key", s.key, "--log", log}, "--store is missing"},
		"no log":             {[]string{"--key", s.key, "--store", s.store}, "--log is missing"},
		"an argument":        {[]string{"--key", s.key, "--store", s.store, "--log", log, "x"}, "takes flags and no arguments"},
		"no name":            {[]string{"--key", s.key + "2", "--store", s.store, "--log", log}, "give the witness a name with --name"},
		"a bad name":         {[]string{"--key", s.key + "3", "--name", "a b", "--print-key"}, "without spaces and plus signs"},
		"another name":       {[]string{"--key", s.key, "--name", "another", "--print-key"}, "has the name " + name},
		"a key of a log":     {[]string{"--key", writeFile(t, s.folder, "log.key", s.log.Private()), "--print-key"}, "not the private key of a witness"},
		"a key for all":      {[]string{"--key", open, "--print-key"}, "chmod 600"},
		"a private log":      {[]string{"--key", s.key, "--store", s.store, "--log", s.log.Private()}, "this is a private key"},
		"half a log":         {[]string{"--key", s.key, "--store", s.store, "--log", log[:len(log)-4]}, "was it copied whole?"},
		"a witness as log":   {[]string{"--key", s.key, "--store", s.store, "--log", s.public.String()}, "is not one of a log"},
		"no such file":       {[]string{"--key", s.key, "--store", s.store, "--log", "logs.txt"}, "neither a public key"},
		"a file without any": {[]string{"--key", s.key, "--store", s.store, "--log", writeFile(t, s.folder, "none.txt", "# none\n")}, "has no public key"},
		"a file with more":   {[]string{"--key", s.key, "--store", s.store, "--log", writeFile(t, s.folder, "more.txt", "vkey "+log+"\n")}, "line 1 of"},
		"an empty log":       {[]string{"--key", s.key, "--store", s.store, "--log", ""}, "--log has no value"},
		"a bad store":        {[]string{"--key", s.key, "--store", state, "--log", log}, "not the store of a witness"},
		"no address":         {[]string{"--key", s.key, "--store", s.store, "--log", log, "--listen", "nowhere"}, "--listen nowhere"},
	} {
		out, _, err := caddytest.RunCommand(append([]string{"witness"}, c.arguments...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "PRIVATE+KEY+fielato") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestARestoredWitnessDoesNotStart: the store is an older copy, and the file beside the key knows more.
func TestARestoredWitnessDoesNotStart(t *testing.T) {
	s := newSite(t)
	s.start()
	s.add(s.history, 0, 5)
	older, err := os.ReadFile(s.store)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.add(s.history, 5, 9); got.status != http.StatusOK {
		t.Fatalf("%+v", got)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	newest, err := os.ReadFile(s.store)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.folder, "witness.state", string(older))
	_, _, err = caddytest.RunCommand(s.arguments()...)
	for _, want := range []string{"fielato/gw-1 with 5 records", "has signed 9", "Put the newest store back", "--name"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
	if err := os.Remove(s.store); err != nil {
		t.Fatal(err)
	}
	if _, _, err = caddytest.RunCommand(s.arguments()...); err == nil || !strings.Contains(err.Error(), "signed with 9 records") {
		t.Errorf("%v", err)
	}
	writeFile(t, s.folder, "witness.state", string(newest))
	s.start()
	if got := s.add(s.history, 9, 40); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
}

// TestARestoredWitnessStopsAtItsOwnSignature: store and key were restored together, so that the start sees nothing.
func TestARestoredWitnessStopsAtItsOwnSignature(t *testing.T) {
	s := newSite(t)
	s.start()
	s.add(s.history, 0, 5)
	before := map[string]string{}
	for _, file := range []string{s.store, s.key + ".signed"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before[file] = string(text)
	}
	nine := s.add(s.history, 5, 9)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	for file, text := range before {
		writeFile(t, filepath.Dir(file), filepath.Base(file), text)
	}
	s.start()
	body := append(s.request(s.history, 5, 9), nine.body...)
	for _, sent := range [][]byte{body, s.request(s.history, 5, 9)} {
		if got := s.do(http.MethodPost, "/add-checkpoint", sent); got.status != http.StatusInternalServerError || !strings.Contains(got.body, "restored from a backup") {
			t.Errorf("%+v", got)
		}
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := caddytest.RunCommand(s.arguments()...); err == nil || !strings.Contains(err.Error(), "has signed 9") {
		t.Errorf("%v", err)
	}
}

// TestALostKeyIsNotMadeAnew: the file beside it says that it has signed something.
func TestALostKeyIsNotMadeAnew(t *testing.T) {
	s := newSite(t)
	s.start()
	s.add(s.history, 0, 5)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.key); err != nil {
		t.Fatal(err)
	}
	_, _, err := caddytest.RunCommand(append(s.arguments(), "--name", name)...)
	if err == nil || !strings.Contains(err.Error(), "put the key back") || !strings.Contains(err.Error(), "5 records") {
		t.Errorf("%v", err)
	}
}
