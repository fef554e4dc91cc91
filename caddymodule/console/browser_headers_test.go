package console_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// testHeaders: every answer below the console's path keeps scripts of others out, is kept by nobody but
// for the files that never change, and sets no cookie.
func testHeaders(t *testing.T, b *browser, p *place) {
	tab := b.open(t, view{})
	tab.show(p.console, sheet{at: "/search"})
	files := ask[[]string](tab, `Array.from(document.querySelectorAll("link[href], script[src]")).map(e => e.href || e.src)`)
	if len(files) < 4 {
		t.Errorf("the page has the files %v", files)
	}
	wantCompressed(t, files)
	addresses := append([]string{p.console + "/assets/console-000000000000.js", p.console + "/../consola/", p.guarded + "/search"}, files...)
	for _, s := range p.sheets() {
		addresses = append(addresses, p.console+s.at)
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		for _, address := range addresses {
			r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.SetBasicAuth("contadora", "password")
			got, err := caddytest.Try(r)
			if err != nil {
				t.Fatal(err)
			}
			wantHeaders(t, method+" "+address, got, strings.Contains(address, "/assets/") && got.Status == http.StatusOK)
		}
	}
}

func wantHeaders(t *testing.T, name string, got caddytest.Response, kept bool) {
	t.Helper()
	policy := got.Header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy has no %s: %q", name, part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("%s: the policy is %q", name, policy)
	}
	if got.Header.Values("Set-Cookie") != nil {
		t.Errorf("%s sets a cookie", name)
	}
	control := "no-store"
	if kept {
		control = "private, max-age=31536000, immutable"
	}
	for header, want := range map[string]string{
		"Cache-Control": control, "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if value := got.Header.Get(header); value != want {
			t.Errorf("%s: %s is %q, want %q", name, header, value, want)
		}
	}
}

// wantCompressed fails the test unless the files come compressed to browsers that say they understand
// that, and the same without to others.
func wantCompressed(t *testing.T, files []string) {
	t.Helper()
	get := func(file, header, value string) caddytest.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, file, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "identity")
		r.Header.Set(header, value)
		got, err := caddytest.Try(r)
		if err != nil {
			t.Fatal(err)
		}
		if length := got.Header.Get("Content-Length"); length != strconv.Itoa(len(got.Body)) || !slices.Contains(got.Header.Values("Vary"), "Accept-Encoding") {
			t.Errorf("%s, %s: %s: length %s of %d, Vary %s", file, header, value, length, len(got.Body), got.Header.Values("Vary"))
		}
		return got
	}
	for _, file := range files {
		plain, zipped := get(file, "Accept-Encoding", "identity"), get(file, "Accept-Encoding", "deflate, gzip;q=0.5, br")
		if none := get(file, "Accept-Encoding", "gzip;q=0, *;q=0.1"); none.Header.Get("Content-Encoding") != "" || !bytes.Equal(none.Body, plain.Body) {
			t.Errorf("%s comes compressed to those who cannot read that", file)
		}
		if part := get(file, "Range", "bytes=1-9"); part.Status != http.StatusPartialContent || !bytes.Equal(part.Body, plain.Body[1:10]) {
			t.Errorf("%s: the part is %q", file, part.Body)
		}
		reader, err := gzip.NewReader(bytes.NewReader(zipped.Body))
		if err != nil {
			t.Errorf("%s does not come compressed: %v", file, err)
			continue
		}
		if content, err := io.ReadAll(reader); err != nil || !bytes.Equal(content, plain.Body) || zipped.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is another file when it is compressed: %v", file, err)
		}
	}
}
