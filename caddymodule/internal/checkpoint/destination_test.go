package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/audittest"
)

// TestFileIsReplacedByWhatContinuesIt, atomically and readable by every user.
func TestFileIsReplacedByWhatContinuesIt(t *testing.T) {
	of := openLog(t, audittest.NewMemory())
	folder := t.TempDir()
	p := &fileDestination{filepath.Join(folder, "checkpoint")}
	for _, records := range []int{0, 1, 0, 300} {
		of.record(t, records)
		if err := p.Check(t.Context(), of); err != nil {
			t.Fatal(err)
		}
		if kept, err := p.publish(t.Context(), of); err != nil || !bytes.Equal(kept, of.Checkpoint()) {
			t.Fatalf("%v: kept %s", err, kept)
		}
		content, err := os.ReadFile(p.path)
		if err != nil || !bytes.Equal(content, of.Checkpoint()) {
			t.Fatalf("%v: in the file %s", err, content)
		}
	}
	info, err := os.Stat(p.path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	if err := os.WriteFile(p.path+".tmp", []byte("what a crash has left"), 0o600); err != nil {
		t.Fatal(err)
	}
	of.record(t, 1)
	if _, err := p.publish(t.Context(), of); err != nil || sizeOf(t, of, must(os.ReadFile(p.path))) != 302 {
		t.Errorf("after a crash: %v", err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestFileIsAWitness: a checkpoint that the trail does not continue is refused, and never replaced.
func TestFileIsAWitness(t *testing.T) {
	of := openLog(t, audittest.NewMemory())
	of.record(t, 20)
	longer := openLog(t, audittest.NewMemory()) // the same key, other salts
	longer.record(t, 30)
	other := openLog(t, audittest.NewMemory())
	other.record(t, 10)
	foreign, err := audit.Checkpoint{Origin: audit.Origin("gateway-2"), Size: 0}.Sign(audittest.Key(t, "gateway-1"))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := audit.Checkpoint{Origin: audit.Origin("gateway-1"), Size: 0}.Sign(must(audit.NewKey(bytes.NewReader(make([]byte, 64)), "gateway-1")))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		content []byte
		says    string
	}{
		"an older copy was put back": {longer.Checkpoint(), "30 records then, 20 now"},
		"another history":            {other.Checkpoint(), "10 records then, 20 now"},
		"another log":                {foreign, "fielato/gateway-2"},
		"another key":                {stranger, "holds no checkpoint of this trail"},
		"something else":             {[]byte("my notes\n"), "holds no checkpoint of this trail"},
		"nothing":                    {nil, "holds no checkpoint of this trail"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &fileDestination{filepath.Join(t.TempDir(), "checkpoint")}
			if err := os.WriteFile(p.path, test.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, kept := p.publish(t.Context(), of)
			for _, err := range []error{p.Check(t.Context(), of), kept} {
				if !errors.Is(err, audit.ErrUnsound) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), p.path) {
					t.Errorf("%v, want %q", err, test.says)
				}
			}
			if !bytes.Equal(must(os.ReadFile(p.path)), test.content) {
				t.Error("the file was replaced")
			}
		})
	}
}

// TestFileThatCannotBeSeenIsNotTakenForNone.
func TestFileThatCannotBeSeenIsNotTakenForNone(t *testing.T) {
	of := openLog(t, audittest.NewMemory())
	folder := t.TempDir()
	for path, says := range map[string]string{
		filepath.Join(folder, "not", "mounted"): "create the folder or mount it", folder: "name a file in it",
	} {
		err := (&fileDestination{path}).Check(t.Context(), of)
		if err == nil || errors.Is(err, audit.ErrUnsound) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := (&fileDestination{filepath.Join(folder, "not", "mounted")}).publish(t.Context(), of); err == nil {
		t.Error("kept nowhere")
	}
}

// TestURLGetsTheCheckpointPosted with the credentials that are in the URL, which no error
// repeats.
func TestURLGetsTheCheckpointPosted(t *testing.T) {
	of := openLog(t, audittest.NewMemory())
	of.record(t, 2)
	status := http.StatusNoContent
	var got *http.Request
	var body []byte
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
	}))
	defer server.Close()
	client := outside.NewClient()
	client.Transport.(*http.Transport).TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	target := must(url.Parse(strings.Replace(server.URL, "https://", "https://user-7:word-7@", 1) + "/path-7?q=query-7"))
	p := &urlDestination{target: target, client: client}

	kept, err := p.publish(t.Context(), of)
	if err != nil || !bytes.Equal(kept, of.Checkpoint()) || !bytes.Equal(body, of.Checkpoint()) {
		t.Fatalf("%v: %s", err, body)
	}
	user, password, _ := got.BasicAuth()
	if got.Method != http.MethodPost || got.Header.Get("Content-Type") != "text/plain; charset=utf-8" || user != "user-7" || password != "word-7" ||
		got.URL.String() != "/path-7?q=query-7" {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
	if p.address() != server.URL {
		t.Errorf("address %s", p.address())
	}
	var failures []error
	for _, status = range []int{http.StatusInternalServerError, http.StatusFound, http.StatusTemporaryRedirect, http.StatusUnauthorized} {
		_, err := p.publish(t.Context(), of)
		failures = append(failures, err)
	}
	client.Transport.(*http.Transport).TLSClientConfig = nil
	_, untrusted := p.publish(t.Context(), of)
	server.Close()
	_, refused := p.publish(t.Context(), of)
	for _, err := range append(failures, untrusted, refused) {
		if err == nil || !strings.Contains(err.Error(), "posting a checkpoint to "+server.URL) || strings.Contains(err.Error(), "-7") {
			t.Errorf("%v", err)
		}
	}
}

// TestPlacesThatCannotBeUsed: no error repeats the address, which may contain credentials.
func TestPlacesThatCannotBeUsed(t *testing.T) {
	t.Setenv("FIELATO_TEST_PLACE", "ftp://user-7:word-7@collector.example.com/")
	for to, says := range map[string]string{
		"":                                "give a file or an https URL",
		"{env.FIELATO_TEST_NONE}":         "FIELATO_TEST_NONE",
		"{env.FIELATO_TEST_PLACE}":        "give an https URL",
		"http://user-7@collector.example": "give an https URL",
		"https://":                        "this is not a URL",
		"https://user-7:%zz@host/":        "this is not a URL",
		"http://10.0.0.1:7/word-7":        "give an https URL",
	} {
		p, err := (Options{To: to}).Resolve()
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "-7") {
			t.Errorf("%s: %v, %v, want %q", to, p, err, says)
		}
	}
	if _, err := (Options{To: "file", Interval: caddy.Duration(time.Millisecond)}).Resolve(); err == nil {
		t.Error("an interval of a millisecond")
	}
	for _, to := range []string{"https://collector.example.com/x", "http://localhost:7/", "http://127.0.0.2/", "http://[::1]/"} {
		if _, err := (Options{To: to}).Resolve(); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	}
	p, err := (Options{To: "kept/../checkpoint"}).Resolve()
	if absolute, _ := filepath.Abs("checkpoint"); err != nil || p.id() != absolute {
		t.Errorf("%v, %v", p, err)
	}
}
