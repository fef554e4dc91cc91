package witnesscmd_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/witness"
)

// TestStatusesOfTheSpecification: each answer as C2SP's tlog-witness has it.
func TestStatusesOfTheSpecification(t *testing.T) {
	s := newSite(t)
	s.start()
	if got := s.do(http.MethodGet, checkpointPath(), nil); got.status != http.StatusNotFound {
		t.Errorf("before anything was signed: %+v", got)
	}
	before := time.Now().Truncate(time.Second)
	first := s.add(s.history, 0, 5)
	if first.status != http.StatusOK {
		t.Fatalf("%+v", first)
	}
	cosigned := string(s.history.Signed(t, s.log, logName, 5)) + first.body
	opened, err := note.Open([]byte(cosigned), note.VerifierList(s.public))
	if err != nil || strings.Count(first.body, "\n") != 1 || !strings.HasPrefix(first.body, "— "+name+" ") {
		t.Fatalf("%v\n%q", err, first.body)
	}
	if when, err := cosignature.Time(opened.Sigs[0]); err != nil || when.Before(before) || when.After(time.Now()) {
		t.Errorf("signed at %v, %v", when, err)
	}
	if got := s.do(http.MethodGet, checkpointPath(), nil); got.status != http.StatusOK || got.body != cosigned || got.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%+v", got)
	}
	stranger := audittest.Key(t, "gw-2")
	nine := s.history.Signed(t, s.log, logName, 9)
	for name, c := range map[string]struct {
		body []byte
		want int
		size string
	}{
		"not a request":          {[]byte("old five\n"), 400, ""},
		"too long":               {bytes.Repeat([]byte("x"), witness.MaxRequest+1), 400, ""},
		"old above the size":     {s.request(s.history, 6, 5), 400, ""},
		"another signature":      {bytes.Replace(s.request(s.history, 5, 9), []byte("\n9\n"), []byte("\n8\n"), 1), 403, ""},
		"signed by no known key": {bytes.Replace(s.request(s.history, 5, 9), []byte("— fielato/gw-1"), []byte("— fielato/gw-3"), 1), 403, ""},
		"another log":            {witness.Request{Checkpoint: s.history.Signed(t, stranger, "gw-2", 9)}.Encode(), 404, ""},
		"the first once more":    {s.request(s.history, 0, 5), 409, "5\n"},
		"an older copy":          {s.request(s.history, 3, 3), 409, "5\n"},
		"a larger old size":      {s.request(s.history, 7, 9), 409, "5\n"},
		"no proof":               {witness.Request{Old: 5, Checkpoint: nine}.Encode(), 422, ""},
		"another tree":           {s.request(s.rewritten, 5, 5), 422, ""},
		"another history":        {s.request(s.rewritten, 5, 9), 422, ""},
	} {
		got := s.do(http.MethodPost, "/add-checkpoint", c.body)
		if got.status != c.want || (got.header.Get("Content-Type") == "text/x.tlog.size") != (c.want == 409) || c.size != "" && got.body != c.size {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/add-checkpoint", 405},
		{http.MethodPost, checkpointPath(), 405},
		{http.MethodGet, "/" + witness.LogID("another") + "/checkpoint", 404},
		{http.MethodGet, "/x", 404},
		{http.MethodGet, "/assets/x", 404},
	} {
		if got := s.do(c.method, c.path, nil); got.status != c.want {
			t.Errorf("%s %s: %d", c.method, c.path, got.status)
		}
	}
	if got := s.add(s.history, 5, 5); got.status != http.StatusOK {
		t.Errorf("the same once more: %+v", got)
	}
	if got := s.add(s.history, 5, 40); got.status != http.StatusOK {
		t.Errorf("it grows: %+v", got)
	}
}

// TestAWitnessGoesOnAfterARestart, from where it was.
func TestAWitnessGoesOnAfterARestart(t *testing.T) {
	s := newSite(t)
	for _, size := range []uint64{5, 9, 40} {
		s.start()
		old := map[uint64]uint64{5: 0, 9: 5, 40: 9}[size]
		if got := s.add(s.history, old, size); got.status != http.StatusOK {
			t.Errorf("%d: %+v", size, got)
		}
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
	s.start()
	if got := s.add(s.history, 9, 40); got.status != http.StatusConflict || got.body != "40\n" {
		t.Errorf("%+v", got)
	}
}

// TestThePageForPeople, in two languages, without scripts.
func TestThePageForPeople(t *testing.T) {
	s := newSite(t)
	odd := audittest.Key(t, "<b>&gw")
	s.additional = []string{"--log", odd.Verifier()}
	s.start()
	inEnglish := func(r *http.Request) { r.Header.Set("Accept-Language", "en-GB,es;q=0.5") }
	page := s.do(http.MethodGet, "/", nil)
	if page.status != http.StatusOK || strings.Count(page.body, "Todavía no firmó nada de este registro.") != 2 {
		t.Errorf("%+v", page)
	}
	if got := s.add(s.history, 0, 5); got.status != http.StatusOK {
		t.Fatalf("%+v", got)
	}
	s.add(s.history, 5, 9)
	page = s.do(http.MethodGet, "/", nil)
	for _, want := range []string{
		`<html lang="es">`, "<h1>Testigo</h1>", "fielato/gw-1", ">9<", s.history.Root(t, 9).String()[:20], checkpointPath(),
		strings.ReplaceAll(s.public.String(), "+", "&#43;"), "sin contradicciones", "<bdi>fielato/%3Cb%3E&amp;gw</bdi>", "Todavía no firmó",
	} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q:\n%s", want, page.body)
		}
	}
	if strings.Contains(page.body, "<script") || !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("the page has a script, or no policy: %v", page.header)
	}
	if page = s.do(http.MethodGet, "/", nil, inEnglish); !strings.Contains(page.body, `<html lang="en">`) || !strings.Contains(page.body, "no contradictions") {
		t.Errorf("%s", page.body)
	}
	s.add(s.history, 9, 3)
	if got := s.do(http.MethodPost, "/add-checkpoint", witness.Request{Old: 9, Checkpoint: s.history.Signed(t, s.log, logName, 12)}.Encode()); got.status != 422 {
		t.Errorf("%+v", got)
	}
	if page = s.do(http.MethodGet, "/", nil, inEnglish); !strings.Contains(page.body, "a request came whose proof does not hold (1)") {
		t.Errorf("%s", page.body)
	}
	s.add(s.rewritten, 9, 9)
	if page = s.do(http.MethodGet, "/", nil); !strings.Contains(page.body, "la historia fue reescrita: hay pruebas (1)") {
		t.Errorf("%s", page.body)
	}
	_, style, _ := strings.Cut(page.body, "/assets/console-")
	style, _, _ = strings.Cut(style, `"`)
	if got := s.do(http.MethodGet, "/assets/console-"+style, nil); got.status != http.StatusOK || !strings.Contains(got.header.Get("Content-Type"), "text/css") {
		t.Errorf("%s: %d %v", style, got.status, got.header)
	}
}

// TestLogsInAFile, with comments, and with a log that has the key of the one before it.
func TestLogsInAFile(t *testing.T) {
	s := newSite(t)
	file := writeFile(t, s.folder, "logs.txt", "# two gateways\n\n"+audittest.Key(t, "gw-2").Verifier()+"\n  "+audittest.Key(t, "gw-3").Verifier()+"\r\n"+
		audit.Origin("gw-2.20261128T234039Z")+" "+audittest.Key(t, "gw-2").Verifier()+"\n")
	s.additional = []string{"--log", file}
	s.start()
	for _, log := range []string{logName, "gw-2", "gw-3"} {
		body := witness.Request{Checkpoint: s.history.Signed(t, audittest.Key(t, log), log, 5)}.Encode()
		if got := s.do(http.MethodPost, "/add-checkpoint", body); got.status != http.StatusOK {
			t.Errorf("%s: %+v", log, got)
		}
	}
	body := witness.Request{Checkpoint: s.history.Signed(t, audittest.Key(t, "gw-2"), "gw-2.20261128T234039Z", 5)}.Encode()
	if got := s.do(http.MethodPost, "/add-checkpoint", body); got.status != http.StatusOK {
		t.Errorf("a log that goes on in a new one: %+v", got)
	}
	body = witness.Request{Checkpoint: s.history.Signed(t, audittest.Key(t, "gw-3"), "gw-2.20261128T234039Z", 5)}.Encode()
	if got := s.do(http.MethodPost, "/add-checkpoint", body); got.status != http.StatusForbidden {
		t.Errorf("by the key of another: %+v", got)
	}
	if page := s.do(http.MethodGet, "/", nil); strings.Count(page.body, audit.Origin("gw-")) != 4 {
		t.Errorf("%s", page.body)
	}
}

// TestASecondWitnessWithTheKeyIsRefused: two would not know of each other's signatures.
func TestASecondWitnessWithTheKeyIsRefused(t *testing.T) {
	s := newSite(t)
	s.start()
	_, _, err := caddytest.RunCommand("witness", "--listen", caddytest.Loopback+":0", "--store", s.store+"-2", "--key", s.key, "--log", s.log.Verifier())
	if err == nil || !strings.Contains(err.Error(), "another witness runs with this key") {
		t.Errorf("%v", err)
	}
	// The public key can be printed meanwhile.
	if out, _, err := caddytest.RunCommand("witness", "--key", s.key, "--print-key"); err != nil || out != s.public.String()+"\n" {
		t.Errorf("%q, %v", out, err)
	}
}
