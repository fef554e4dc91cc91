package timestamped_test

import (
	"encoding/pem"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/timestamped"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

// TestWhatDoesNotVerifyIsNotKept, whatever an authority answers. The stamp before stays, and the next good answer is kept.
func TestWhatDoesNotVerifyIsNotKept(t *testing.T) {
	of, tsa, other := newTrail(t, 3), newPlace(t, tsatest.RSA), newPlace(t, tsatest.RSA)
	s := start(t, of, tsa.options())
	before := of.newest(tsa.Roots)
	if before == nil {
		t.Fatal(s.said())
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	text := func(text string) http.HandlerFunc { return tsa.replying(func([]byte) []byte { return []byte(text) }) }
	away := func(by time.Duration) http.HandlerFunc {
		return tsa.replying(func(query []byte) []byte { return tsa.ReplyAt(query, s.clock().Add(by)) })
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"down":                     {status(502), "502"},
		"overloaded":               {status(429), "429"},
		"not there":                {status(404), "refuses the request: 404"},
		"nothing of it":            {status(204), "refuses the request: 204"},
		"hanging up":               {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "does not answer"},
		"slow":                     {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }, "deadline"},
		"slow in the midst":        {slowly, "deadline"},
		"redirecting":              {http.RedirectHandler(other.url, http.StatusTemporaryRedirect).ServeHTTP, "redirects are not followed"},
		"words of its own":         {raw("HTTP/1.1 404 VG9r\x1b[31m\r\nContent-Length: 0"), "refuses the request: 404 Not Found"},
		"no head":                  {raw("VG9r"), "malformed HTTP response"},
		"garbage":                  {text("<html>welcome</html>"), "does not verify"},
		"empty":                    {text(""), "does not verify"},
		"endless":                  {endless, "more than 65536 bytes"},
		"a refusal":                {text("\x30\x05\x30\x03\x02\x01\x02"), "does not stamp: status 2"},
		"another's certificate":    {tsa.replying(other.Reply), "does not lead to one of the roots"},
		"the answer of before":     {text(string(before.Reply)), "another document"},
		"the answer of a query":    {tsa.replying(func(query []byte) []byte { query[len(query)-4] ^= 1; return tsa.Reply(query) }), "nonce"},
		"another document":         {tsa.replying(func(query []byte) []byte { query[30] ^= 1; return tsa.Reply(query) }), "another document"},
		"a clock ahead":            {away(time.Hour), "one of them is wrong"},
		"a clock behind":           {away(-time.Hour), "one of them is wrong"},
		"bytes behind":             {tsa.replying(func(query []byte) []byte { return append(tsa.Reply(query), 0) }), "bytes follow it"},
		"a byte that was changed":  {tsa.replying(func(query []byte) []byte { r := tsa.Reply(query); r[len(r)-1] ^= 1; return r }), "does not verify"},
		"without the certificates": {tsa.replying(func(query []byte) []byte { query[len(query)-1] = 0; return tsa.Reply(query) }), "certificate is not in the token"},
	} {
		t.Run(name, func(t *testing.T) {
			of.grow(1)
			tsa.be(test.answer)
			if test.says == "deadline" {
				s.Limit(200 * time.Millisecond)
			}
			s.turn()
			if said := s.said(); !strings.Contains(said, test.says) {
				t.Errorf("it says %q, want %q", said, test.says)
			} else if strings.Contains(said, "VG9r") {
				t.Errorf("it repeats the answer: %q", said)
			}
			if kept := of.newest(tsa.Roots); kept == nil || kept.Records != before.Records {
				t.Errorf("kept %+v", kept)
			}
			tsa.be(nil)
			s.Limit(10 * time.Second)
			s.turn()
			if before = of.newest(tsa.Roots); before.Records != of.writer.Size() {
				t.Errorf("a good answer: %+v, %s", before, s.said())
			}
		})
	}
	if other.asked() != 0 {
		t.Error("the redirect was followed")
	}
}

// raw answers with a head of its own, and hangs up.
func raw(head string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, head+"\r\n\r\n")
	}
}

func slowly(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = w.Write([]byte{0x30})
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func endless(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 4096)); err != nil {
			return
		}
	}
}

// TestARetryWaitsLonger after each failure, up to the interval, and not after a success.
func TestARetryWaitsLonger(t *testing.T) {
	of, tsa := newTrail(t, 3), newPlace(t, tsatest.P256)
	tsa.be(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	s := start(t, of, tsa.options())
	for failures := 2; failures < 14; failures++ {
		wait, want := s.turn(), min(5*time.Second<<(failures-1), time.Hour)
		if wait < want*9/10 || wait > want*11/10+1 {
			t.Errorf("after %d failures it waits %v, want about %v", failures, wait, want)
		}
	}
	tsa.be(nil)
	if wait := s.turn(); wait < 54*time.Minute || of.newest(tsa.Roots) == nil {
		t.Errorf("after a success it waits %v", wait)
	}
}

// TestAStopDoesNotWaitForAnAnswer.
func TestAStopDoesNotWaitForAnAnswer(t *testing.T) {
	of, tsa := newTrail(t, 3), newPlace(t, tsatest.P256)
	asked := make(chan struct{})
	tsa.be(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done() // the client hangs up
	})
	s := prepare(t, of, tsa.options())
	s.Start()
	<-asked
	s.Stop()
	if said := s.said(); said != "" {
		t.Errorf("it says %q", said)
	}
}

// TestWhatCannotBeAnAuthority. Neither an error nor the log repeats the URL.
func TestWhatCannotBeAnAuthority(t *testing.T) {
	tsa := newPlace(t, tsatest.P256)
	file := func(content []byte) string {
		path := filepath.Join(t.TempDir(), "roots.pem")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	roots, err := os.ReadFile(tsa.Roots)
	if err != nil {
		t.Fatal(err)
	}
	broken := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte{0x30, 0}})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte{0x30, 0}})
	t.Setenv("FIELATO_TEST_TSA", "ftp://user-7:word-7@tsa.example/way-7")
	const good = "https://user-7:word-7@tsa.example/way-7"
	for name, test := range map[string]struct {
		options timestamped.Options
		says    string
	}{
		"no scheme":            {timestamped.Options{URL: "tsa.example/way-7", Roots: tsa.Roots}, "https://HOST"},
		"another scheme":       {timestamped.Options{URL: "{env.FIELATO_TEST_TSA}", Roots: tsa.Roots}, "give an https URL"},
		"without TLS":          {timestamped.Options{URL: "http://user-7:word-7@tsa.example", Roots: tsa.Roots}, "give an https URL"},
		"unreadable":           {timestamped.Options{URL: "https://user-7:word-7@tsa.example/%zz", Roots: tsa.Roots}, "https://HOST"},
		"not set":              {timestamped.Options{URL: "{env.FIELATO_TEST_NO_TSA}", Roots: tsa.Roots}, "FIELATO_TEST_NO_TSA is not set"},
		"no roots":             {timestamped.Options{URL: good}, "root certificates"},
		"a file that is not":   {timestamped.Options{URL: good, Roots: tsa.Roots + ".not"}, "no such file"},
		"no certificate":       {timestamped.Options{URL: good, Roots: file([]byte("x"))}, "holds no certificate"},
		"a broken certificate": {timestamped.Options{URL: good, Roots: file(append(roots, broken...))}, "reading the root certificates"},
		"a private key":        {timestamped.Options{URL: good, Roots: file(append(private, roots...))}, "more than certificates"},
		"too often":            {timestamped.Options{URL: good, Roots: tsa.Roots, Interval: 1}, "too short"},
		"a policy in words":    {timestamped.Options{URL: good, Roots: tsa.Roots, Policy: "best"}, "not an object identifier"},
		"a policy alone":       {timestamped.Options{Policy: "1.2.3"}, "there is no authority"},
	} {
		_, err := test.options.Resolve()
		if err == nil || !strings.Contains(err.Error(), test.says) || leaks(err.Error()) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
	if none, err := (timestamped.Options{}).Resolve(); none != nil || err != nil {
		t.Errorf("without options: %v, %v", none, err)
	}
	of := newTrail(t, 3)
	options := tsa.options()
	options.URL = strings.Replace(tsa.url, "http://", "http://user-7:word-7@", 1) + "/way-7"
	tsa.be(func(_ http.ResponseWriter, r *http.Request) {
		if user, word, _ := r.BasicAuth(); user != "user-7" || word != "word-7" || r.URL.Path != "/tsr/way-7" {
			t.Errorf("%s, %s", r.URL, user)
		}
		panic(http.ErrAbortHandler)
	})
	s := start(t, of, options)
	if all := s.logs.All(); len(all) == 0 {
		t.Error("it says nothing")
	} else if said := s.said(); !strings.Contains(said, "does not answer") || leaks(said) {
		t.Errorf("it says %q", said)
	}
}

// leaks reports whether a text has a part of the URLs of the test that may be secret.
func leaks(text string) bool {
	return strings.Contains(text, "user-7") || strings.Contains(text, "word-7") || strings.Contains(text, "way-7")
}
