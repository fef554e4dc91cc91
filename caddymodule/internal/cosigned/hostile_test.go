package cosigned_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/internal/cosignature"
)

// TestWhatDoesNotVerifyIsNotKept, whatever a witness answers: it raises an alert, and stops nobody.
func TestWhatDoesNotVerifyIsNotKept(t *testing.T) {
	of := newTrail(t, 5)
	w := newPlace(t, "testigo.example/w1", 7, of.Verifier())
	secret := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	keyOf := func(name string) *cosignature.Key {
		key, err := cosignature.NewKey(bytes.NewReader(bytes.Repeat([]byte{8}, ed25519.SeedSize)), name)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	now := time.Now()
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("— a b\n", 1000)); err != nil {
				return
			}
		}
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(elsewhere.Close)
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"down":                       {w.down, "does not answer|502"},
		"slow":                       {func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }, "deadline"},
		"hanging up":                 {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "does not answer"},
		"redirecting":                {http.RedirectHandler(elsewhere.URL+"/add-checkpoint", http.StatusTemporaryRedirect).ServeHTTP, "redirects"},
		"endless":                    {endless, "more than 16384 bytes"},
		"garbage":                    {w.answering(200, "text/plain", "<html>welcome</html>"), "does not verify"},
		"empty":                      {w.answering(200, "text/plain", ""), "does not verify"},
		"nothing of it":              {w.answering(204, "", ""), "refuses the request"},
		"not base64":                 {w.answering(200, "text/plain", "— testigo.example/w1 !!!\n"), "does not verify"},
		"another's signature":        {w.signing(keyOf("other.example").At(now)), "does not verify"},
		"another key of its name":    {w.signing(keyOf("testigo.example/w1").At(now)), "does not verify"},
		"time 0":                     {w.signing(atTime(w.key, secret, 0)), "does not verify"},
		"a time after all":           {w.signing(atTime(w.key, secret, 1<<63)), "does not verify"},
		"a clock ahead":              {w.signing(w.key.At(now.Add(24 * time.Hour))), "clock of the witness is ahead"},
		"a signature of other text":  {signingOther(w), "does not verify"},
		"a note behind the note":     {smuggling(w), "more than lines of signatures|does not verify"},
		"unknown log":                {w.answering(404, "text/plain", "unknown log\n"), "give its operator the public key fielato/gw-1"},
		"wrong key":                  {w.answering(403, "text/plain", ""), "give its operator the public key"},
		"cannot sign":                {w.answering(500, "text/plain", ""), "do not know the log's key"},
		"a conflict without a size":  {w.answering(409, "text/plain", "5\n"), "Nothing that is signed shows it"},
		"a conflict with its size":   {w.answering(409, "text/x.tlog.size", "0\n"), "Nothing that is signed shows it"},
		"a size that we do not have": {w.answering(409, "text/x.tlog.size", "9223372036854775807\n"), "older copy of the store"},
		"a size that is none":        {w.answering(409, "text/x.tlog.size", "-1\n"), "Nothing that is signed shows it"},
		"conflicts for ever":         {w.answering(409, "text/x.tlog.size", "3\n"), "refuses the size that it has told"},
		"a refused proof":            {w.answering(422, "text/plain", ""), "history of the log was rewritten"},
		"false proof":                {monitoring(w, "fielato/gw-1\n9\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— testigo.example/w1 AAAA\n"), "Nothing that is signed shows it"},
		"endless proof":              {func(rw http.ResponseWriter, r *http.Request) { monitoringEndless(w, endless)(rw, r) }, "Nothing that is signed shows it"},
	} {
		t.Run(name, func(t *testing.T) {
			w.be(test.answer)
			of.reopen()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			g := newGroup(t, of, 0, false, w)
			if err := g.First(ctx, of); err != nil {
				t.Errorf("it keeps the gateway from starting: %v", err)
			}
			said := g.said()
			found := false
			for want := range strings.SplitSeq(test.says, "|") {
				found = found || strings.Contains(said, want)
			}
			if !found {
				t.Errorf("it says %q, want %q", said, test.says)
			}
			kept, err := of.store.Setting(t.Context(), "cosigned/"+logName+"/"+w.key.String())
			if err != nil || kept != nil || of.keeper.Newest() != nil {
				t.Errorf("%v: kept\n%s\n%s", err, kept, of.keeper.Newest())
			}
			required := newGroup(t, of, 0, true, w)
			if test.says == "deadline" {
				return
			}
			if err := required.First(ctx, of); err == nil || !strings.Contains(err.Error(), "0 of 1 witnesses") || errors.Is(err, audit.ErrUnsound) {
				t.Errorf("required: %v", err)
			}
		})
	}
	w.be(nil)
	if err := newGroup(t, of, 0, true, w).First(t.Context(), of); err != nil || of.size(of.keeper.Newest()) != 5 {
		t.Errorf("the witness itself: %v", err)
	}
}

// signingOther signs the checkpoint of another size.
func signingOther(p *place) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, lineOf(p.t, bytes.Replace(body, []byte("\n5\n"), []byte("\n6\n"), 1), p.key.At(time.Now())))
	}
}

// smuggling answers with a line, and behind it a second note of which the first is a part.
func smuggling(p *place) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		_, checkpoint, _ := strings.Cut(string(body), "\n\n")
		if err != nil || r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		const more = "— other.example AAAAAAAA\n"
		line := lineOf(p.t, []byte("old 0\n\n"+strings.ReplaceAll(checkpoint+more, "\n\n", "\n")+"\n— x AAAAAAAA\n"), p.key.At(time.Now()))
		_, _ = io.WriteString(w, more+"\n"+line)
	}
}

// monitoring refuses a proof, and shows a text on the monitoring path.
func monitoring(_ *place, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		_, _ = io.WriteString(w, text)
	}
}

func monitoringEndless(p *place, endless http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			endless(w, r)
			return
		}
		monitoring(p, "")(w, r)
	}
}

// TestARetryWaitsLonger after each failure, up to minutes, and not after a success.
func TestARetryWaitsLonger(t *testing.T) {
	of := newTrail(t, 5)
	w := newPlace(t, "testigo.example/w1", 7, of.Verifier())
	w.be(w.down)
	g := newGroup(t, of, 0, false, w)
	if err := g.start(); err != nil {
		t.Fatal(err)
	}
	waits := []time.Duration{}
	for range 9 {
		waits = append(waits, g.turn())
	}
	for i, wait := range waits {
		want := min(5*time.Second<<(i+1), 5*time.Minute)
		if wait < want*9/10 || wait > want*11/10+1 {
			t.Errorf("after %d failures it waits %v, want about %v", i+2, wait, want)
		}
	}
	w.be(nil)
	if wait := g.turn(); wait < 54*time.Second || wait > 66*time.Second+1 || of.size(of.keeper.Newest()) != 5 {
		t.Errorf("after a success it waits %v: %s", wait, g.said())
	}
}

// TestWhatCannotBeAWitness.
func TestWhatCannotBeAWitness(t *testing.T) {
	of := newTrail(t, 0)
	key := newPlace(t, "testigo.example/w1", 7, of.Verifier()).key.String()
	t.Setenv("FIELATO_TEST_WITNESS", "https://user-7:word-7@testigo.example?x")
	good := cosigned.Options{Key: key, URL: "https://testigo.example/fielato"}
	for name, test := range map[string]struct {
		options []cosigned.Options
		quorum  int
		require bool
		says    string
	}{
		"a log's key":         {[]cosigned.Options{{Key: of.Verifier(), URL: "https://x"}}, 0, false, "public key of a witness"},
		"no scheme":           {[]cosigned.Options{{Key: key, URL: "testigo.example"}}, 0, false, "https://HOST"},
		"another scheme":      {[]cosigned.Options{{Key: key, URL: "ftp://testigo.example"}}, 0, false, "https://HOST"},
		"a query":             {[]cosigned.Options{{Key: key, URL: "{env.FIELATO_TEST_WITNESS}"}}, 0, false, "no query"},
		"twice":               {[]cosigned.Options{good, good}, 0, false, "two witnesses"},
		"too often":           {[]cosigned.Options{{Key: key, URL: "https://x", Interval: 1}}, 0, false, "too short"},
		"more than there are": {[]cosigned.Options{good}, 2, false, "from 1 to 1"},
		"less than none":      {[]cosigned.Options{good}, -1, false, "from 1 to 1"},
		"a quorum of nobody":  {nil, 1, false, "there is no witness"},
		"nobody is required":  {nil, 0, true, "there is no witness"},
	} {
		_, err := cosigned.Settings{Witnesses: test.options, Quorum: test.quorum, Require: test.require}.Resolve()
		if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "word-7") {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
}
