package publiclog_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestHeadersAndConditions: a checkpoint is asked for each time, and not sent again while it is the same. A tile may be
// asked for in part.
func TestHeadersAndConditions(t *testing.T) {
	p := newPlace(t, 257)
	p.serve()
	got := p.get("checkpoint")
	if h := got.Header; h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Cache-Control") != "no-cache" || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the checkpoint has %v", h)
	}
	for _, path := range []string{"checkpoint", "tile/0/000", "tile/0/001.p/1", "tile/1/000.p/1"} {
		got := p.get(path)
		head := p.do(http.MethodHead, p.log+path)
		if head.Status != http.StatusOK || len(head.Body) != 0 || head.Header.Get("Content-Length") != fmt.Sprint(len(got.Body)) || head.Header.Get("ETag") != got.Header.Get("ETag") {
			t.Errorf("HEAD %s: %d %v", path, head.Status, head.Header)
		}
		if same := p.get(path, "If-None-Match", got.Header.Get("ETag")); same.Status != http.StatusNotModified || len(same.Body) != 0 {
			t.Errorf("%s again: %d", path, same.Status)
		}
		if part := p.get(path, "Range", "bytes=0-31"); part.Status != http.StatusPartialContent || !bytes.Equal(part.Body, got.Body[:32]) {
			t.Errorf("a part of %s: %d", path, part.Status)
		}
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
			if no := p.do(method, p.log+path); no.Status != http.StatusMethodNotAllowed || no.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d", method, path, no.Status)
			}
		}
	}
	before := got.Header.Get("ETag")
	p.Post("FEDummy", "{}")
	if now := p.get("checkpoint", "If-None-Match", before); now.Status != http.StatusOK || now.Header.Get("ETag") == before {
		t.Errorf("after another record: %d", now.Status)
	}
}

// TestWhatIsNotServed: no entries, no other spelling of a tile, no log of another name. Other
// paths are for the next handler.
func TestWhatIsNotServed(t *testing.T) {
	p := newPlace(t, 600)
	p.serve()
	for path, says := range map[string]string{
		"tile/entries/000": "no entries", "tile/entries/000.p/3": "no entries", "tile/entries": "no entries",
		"": "ask for <log>/checkpoint", "checkpoint/": "ask for", "tile": "ask for", "Checkpoint": "ask for", "%63heckpoint": "ask for",
		"tile/0/0": "ask for", "tile/0/0000": "ask for", "tile/0/x000/000": "ask for", "tile/00/000": "ask for", "tile/8/0/000": "ask for", "tile/data/000": "ask for",
		"tile/0/%3000": "ask for", "tile/0/000.p/0": "ask for", "tile/0/000.p/256": "ask for", "tile/0/000.p/01": "ask for", "tile/0/000.p": "ask for",
		"tile/0/000/": "ask for", "tile/-1/000": "ask for", "tile/64/000": "ask for", "tile/0/x999/x999/x999/x999/x999/x999/x999/999": "ask for",
		"tile/0/002": "not grown", "tile/0/002.p/89": "not grown", "tile/0/003.p/1": "not grown", "tile/1/000": "not grown", "tile/1/000.p/3": "not grown",
		"tile/7/000.p/1": "not grown", "tile/63/000.p/1": "not grown", "tile/0/x001/000": "not grown",
	} {
		if got := p.get(path); got.Status != http.StatusNotFound || !strings.Contains(string(got.Body), says) {
			t.Errorf("%s: %d %q", path, got.Status, got.Body)
		}
	}
	for _, url := range []string{"/log/another/checkpoint", "/log/%zz/checkpoint", "/log//checkpoint", "/log/", "/log", "/log/checkpoint"} {
		if got := p.do(http.MethodGet, p.URL+strings.ReplaceAll(url, "%zz", "%25zz")); got.Status != http.StatusNotFound {
			t.Errorf("%s: %d %q", url, got.Status, got.Body)
		}
	}
	if got := p.do(http.MethodGet, p.URL+"/logs/x/checkpoint"); strings.Contains(string(got.Body), "ask for") {
		t.Errorf("outside the path: %d %q", got.Status, got.Body)
	}
}

// TestWhereTheLogIs: below a path of its own, also within handle_path, and behind whatever asks who reads.
func TestWhereTheLogIs(t *testing.T) {
	p := newPlace(t, 3)
	for site, at := range map[string]string{
		"wsfev1_log {\n path /transparencia/\n }":                   "/transparencia/",
		"wsfev1_log {\n path /a/b\n }":                              "/a/b/",
		"handle_path /log/* {\n wsfev1_log\n }":                     "/log/",
		"handle_path /x/* {\n wsfev1_log\n }":                       "/x/log/",
		"handle_path /x/* {\n wsfev1_log {\n path /x/y\n }\n }":     "/x/y/",
		"@inside path /log/*\n handle @inside {\n wsfev1_log\n }":   "/log/",
		"encode\n wsfev1_log":                                       "/log/",
		"handle /log/* {\n wsfev1_log\n }\n respond \"no log\" 404": "/log/",
	} {
		own := "http://" + caddytest.FreeAddress(t)
		p.Load(p.Config(p.WithAudit(), caddytest.WithBackend(t)) + own + " {\n bind " + caddytest.Loopback + "\n " + site + "\n}\n")
		for _, path := range []string{"checkpoint", "tile/0/000.p/3"} {
			if got := p.do(http.MethodGet, own+at+logName+"/"+path); got.Status != http.StatusOK {
				t.Errorf("%s: %s: %d %q", site, path, got.Status, got.Body)
			}
		}
	}
	p.Load(p.Config(p.WithAudit(), "basic_auth /log/* {\n a $2a$04$CeTB1aYTEhLlv6sVhCXkOeAU7Xl8SMcyDCMEXCPMOgqMwfLSHlFn6\n }\n wsfev1_log\n "+caddytest.WithBackend(t)))
	if got := p.get("checkpoint"); got.Status != http.StatusUnauthorized {
		t.Errorf("behind authentication: %d", got.Status)
	}
}

// TestATrailThatIsNotThere is no 404, which a client would believe: it comes again.
func TestATrailThatIsNotThere(t *testing.T) {
	p := newPlace(t, 3)
	p.Load(p.URL + " {\n bind " + caddytest.Loopback + "\n wsfev1_log\n}\n")
	if got := p.get("checkpoint"); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("without a gateway: %d %v", got.Status, got.Header)
	}
}

// TestALogIsServedOverAReload: requests of the old configuration and of the new one are answered.
func TestALogIsServedOverAReload(t *testing.T) {
	p := newPlace(t, 300)
	p.serve()
	done, asked := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-done:
				asked <- nil
				return
			default:
			}
			r, err := http.NewRequest(http.MethodGet, p.log+"tile/1/000.p/1", nil)
			if err != nil {
				asked <- err
				return
			}
			got, err := caddytest.Try(r)
			if err == nil && got.Status != http.StatusOK { // Caddy may close a connection
				asked <- fmt.Errorf("%d %q", got.Status, got.Body)
				return
			}
		}
	}()
	for range 5 {
		p.serve()
	}
	close(done)
	if err := <-asked; err != nil {
		t.Error(err)
	}
}

// TestTwoLogsOfOneName in two stores are two histories: neither is served as the other.
func TestTwoLogsOfOneName(t *testing.T) {
	p, other := newPlace(t, 3), newPlace(t, 5)
	second := "http://" + caddytest.FreeAddress(t) + " {\n bind " + caddytest.Loopback + "\n wsfev1 {\n" + other.Audit() + "\n}\n" + caddytest.WithBackend(t) + "\n}\n"
	p.Load(p.Config(p.WithAudit(), "wsfev1_log\n\t"+caddytest.WithBackend(t)) + second)
	if got := p.get("checkpoint"); got.Status != http.StatusInternalServerError || !strings.Contains(string(got.Body), "two trails") {
		t.Errorf("%d %q", got.Status, got.Body)
	}
}

// TestTheCosignedCheckpointIsServed if the configuration names witnesses, with their lines, until it names none.
func TestTheCosignedCheckpointIsServed(t *testing.T) {
	p, w := newPlace(t, 300), caddytest.NewWitness(t, "testigo.example/w1")
	p.serve(w.Option(" 1h"))
	if signed, at := p.checkpoint(); at.Size != 300 || strings.Contains(string(signed), "testigo.example/w1") {
		t.Errorf("before a witness has signed: %s", signed)
	}
	w.Start(p.verifier())
	p.serve(w.Option(" 2h"))
	signed, at := p.checkpoint()
	if at.Size != 300 || !strings.Contains(string(signed), "— testigo.example/w1 ") {
		t.Fatalf("after it has signed: %s", signed)
	}
	p.Post("FEDummy", "{}")
	if again, at := p.checkpoint(); at.Size != 300 || !bytes.Equal(again, signed) {
		t.Errorf("after another record, which the witness has not seen: %s", again)
	}
	p.serve()
	if signed, at := p.checkpoint(); at.Size < 301 || strings.Contains(string(signed), "testigo.example/w1") {
		t.Errorf("without witnesses: %s", signed)
	}
}

// TestOneNodeServesTheLogsOfAll that share a database.
func TestOneNodeServesTheLogsOfAll(t *testing.T) {
	s := caddytest.TwoNodes(t)
	p := &place{Site: caddytest.NewSite(t)}
	key := filepath.Join(t.TempDir(), "north.key")
	if err := os.WriteFile(key, []byte(s.Keys["north"].Private()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FIELATO_TEST_LOG_DSN", s.DSN)
	shared := "audit postgres {env.FIELATO_TEST_LOG_DSN} {\n node north\n migrate auto\n key " + key + "\n }"
	p.Load(p.Config(shared, "wsfev1_log\n\t"+caddytest.WithBackend(t)))
	for log, size := range map[string]uint64{"north": 3, "south": 2} {
		p.log = p.URL + "/log/" + log + "/"
		at, err := audit.OpenLogCheckpoint(p.get("checkpoint").Body, s.Keys[log].Verifier(), log)
		if err != nil || at.Size < size {
			t.Fatalf("%s: %+v, %v", log, at, err)
		}
		got := p.get(fmt.Sprintf("tile/0/000.p/%d", at.Size))
		if got.Status != http.StatusOK || len(got.Body) != int(at.Size)*32 {
			t.Errorf("%s: %d, %d bytes", log, got.Status, len(got.Body))
		}
		if got := p.get(fmt.Sprintf("tile/0/000.p/%d", at.Size+1)); got.Status != http.StatusNotFound {
			t.Errorf("%s: beyond its end: %d", log, got.Status)
		}
	}
	s.Write("south", caddytest.Consultation(9, 4))
	p.log = p.URL + "/log/south/"
	if at, err := audit.OpenLogCheckpoint(p.get("checkpoint").Body, s.Keys["south"].Verifier(), "south"); err != nil || at.Size != 3 {
		t.Errorf("after the other node has written: %+v, %v", at, err)
	}
}
