package proof_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/testrun"
)

// visit is a page that the browser opens, with the result that the script must find.
type visit struct {
	name string
	// change tampers with the store, rewrite with the page.
	change  func(*testing.T, *sql.DB)
	rewrite func(page string) string
	// key is pasted, unless it is empty. click is the button that is pressed then. source is the key that
	// the page is to use at last.
	key, click, source string
	// witnesses are asked for, quorum of them.
	witnesses, quorum string
	// done is a text of the page that has all of it, for one that changes more than once.
	done string
	// early is a script that runs before the page's own. host is another name of the server.
	early, host string
	// again: the page of the visit before is loaded once more.
	again bool
	// masked: documents of receivers are hidden.
	masked bool

	verdict string
	wrong   []string // the steps of the record that do not fit
	text    string   // a part of the page's text
	answer  string   // how the verdict begins, after its sign
}

// seen is the result that the script has shown.
type seen struct {
	Verdict, Text, Page string
	// Open: the computations were not folded.
	Open  bool
	Steps []struct{ Name, OK string }
}

// probe waits until the page has its verdict, and reports it. It gets the next address in return.
const probe = `(async function () {
  var plan = await (await fetch("/plan")).json();
  var box = document.getElementById("key-box");
  if (plan.key) { box.value = plan.key; box.dispatchEvent(new Event("input")); }
  [["witness-box", plan.witnesses], ["witness-quorum", plan.quorum]].forEach(function (f) {
    var field = document.getElementById(f[0]);
    if (f[1]) { field.value = f[1]; field.dispatchEvent(new Event("input")); }
  });
  if (plan.click) { document.getElementById(plan.click).click(); }
  var verdict = document.getElementById("verdict"), source = document.getElementById("key-source");
  var words = JSON.parse(document.getElementById("proof-data").textContent).words;
  function done() { return verdict.dataset.verdict && (!plan.done || Array.from(document.querySelectorAll("#verdict, .steps"), function (e) { return e.textContent; }).join().includes(plan.done)) && (!plan.source || source.textContent === words[plan.source]); }
  while (!done()) { await new Promise(function (next) {
    var watch = new MutationObserver(function () { watch.disconnect(); next(); });
    watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    if (done()) { watch.disconnect(); next(); }
  }); }
  var rows = document.querySelectorAll(".steps table")[0].querySelectorAll("tbody tr");
  var folds = Array.from(document.querySelectorAll("details.technical")), open = folds[0].open;
  folds.forEach(function (e) { e.open = true; });
  var answer = await fetch("/seen", { method: "POST", body: JSON.stringify({
    Verdict: verdict.dataset.verdict, Text: verdict.textContent, Open: open, Page: document.body.innerText,
    Steps: Array.from(rows, function (row) { return { Name: row.dataset.step, OK: row.dataset.ok }; }) }) });
  location.replace(await answer.text());
})();`

// TestTheBrowserVerifies the proof by itself, and says what does not fit. One browser goes from page to
// page.
func TestTheBrowserVerifies(t *testing.T) {
	path, key := trailFile(t)
	foreign, err := audit.NewKey(strings.NewReader(strings.Repeat("k", 64)), log)
	if err != nil {
		t.Fatal(err)
	}
	visits := visitsOf(t, key, foreign.Verifier())
	results, addresses := make(chan seen), make([]string, len(visits)+1)
	addresses[len(visits)] = "about:blank"
	for i := range visits {
		if visits[i].again {
			addresses[i] = addresses[i-1]
			continue
		}
		w := serve(t, copied(t, path, visits[i].change), key)
		w.MaskAll = visits[i].masked
		addresses[i] = serveVisits(t, w, visits[i:], results, addresses[i+1:])
	}
	browse(t, addresses[0])
	for i := range visits {
		select {
		case got := <-results:
			visits[i].check(t, got)
		case <-time.After(time.Minute):
			t.Fatalf("%s: the page has no verdict", visits[i].name)
		}
	}
}

// serveVisits serves the page of the first visit, and of those that load it again. It returns its address.
func serveVisits(t *testing.T, w *world, visits []visit, results chan<- seen, next []string) string {
	t.Helper()
	var now atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/plan", func(out http.ResponseWriter, _ *http.Request) {
		v := visits[now.Load()]
		_ = json.NewEncoder(out).Encode(map[string]string{"key": v.key, "click": v.click, "source": v.source, "witnesses": v.witnesses, "quorum": v.quorum, "done": v.done})
	})
	mux.HandleFunc("/seen", func(out http.ResponseWriter, r *http.Request) {
		var got seen
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		fmt.Fprint(out, next[now.Add(1)-1])
		select {
		case results <- got:
		case <-r.Context().Done():
		}
	})
	script := func(text string) http.HandlerFunc {
		return func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(out, text)
		}
	}
	mux.HandleFunc("/probe.js", script(probe))
	mux.HandleFunc("/early.js", script(visits[0].early))
	mux.HandleFunc("/", func(out http.ResponseWriter, r *http.Request) {
		site.SetSecurityHeaders(out.Header())
		made := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding") // the page is changed below
		w.ServeHTTP(made, r)
		page := strings.Replace(made.Body.String(), "<head>", `<head><script src="/early.js"></script>`, 1)
		page = strings.Replace(page, "</head>", `<script src="/probe.js" defer></script></head>`, 1)
		if visits[0].rewrite != nil {
			page = visits[0].rewrite(page)
		}
		out.Header().Set("Content-Type", made.Header().Get("Content-Type"))
		out.WriteHeader(made.Code)
		fmt.Fprint(out, page)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	host := "localhost"
	if visits[0].host != "" {
		host = visits[0].host
	}
	return "http://" + host + ":" + port + "/consola/proof/gateway-1/3"
}

func (v *visit) check(t *testing.T, got seen) {
	t.Helper()
	var wrong []string
	for _, step := range got.Steps {
		if step.OK == "false" {
			wrong = append(wrong, step.Name)
		}
	}
	if got.Verdict == "good" && got.Open || len(wrong) > 0 && !got.Open {
		t.Errorf("%s: the computations are shown: %v", v.name, got.Open)
	}
	if got.Verdict != v.verdict || !slices.Equal(wrong, v.wrong) || !strings.Contains(got.Page, v.text) || strings.Contains(got.Page, "undefined") || !strings.HasPrefix(strings.TrimLeft(got.Text, "✓✗– "), v.answer) {
		t.Errorf("%s: %s %v, want %s %v, and %q in\n%s", v.name, got.Verdict, wrong, v.verdict, v.wrong, v.text, got.Page)
	}
}

// browse opens an address in Chromium, which runs until the test ends.
func browse(t *testing.T, address string) {
	t.Helper()
	program := testrun.Chromium(t)
	profile, err := os.MkdirTemp("", "chromium-*")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--lang=es-AR", "--accept-lang=es-AR",
		"--disable-background-networking", "--disable-component-update", "--user-data-dir="+profile, "--host-resolver-rules=MAP elsewhere.example 127.0.0.1",
		"--remote-debugging-port=0", address)
	endWhole(cmd)
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()            // it was killed
		_ = os.RemoveAll(profile) // its children may end later
	})
}
