package caddymodule_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	caddy.RegisterModule(new(dumping))
	httpcaddyfile.RegisterHandlerDirective("test_dump", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		h.Next()
		d := &dumping{}
		if !h.AllArgs(&d.File) {
			return nil, h.ArgErr()
		}
		return d, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_dump", httpcaddyfile.Before, "respond")
	caddy.RegisterModule(clinging{})
	httpcaddyfile.RegisterHandlerDirective("test_hold", func(httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		return clinging{}, nil
	})
	httpcaddyfile.RegisterDirectiveOrder("test_hold", httpcaddyfile.Before, "encode")
}

// dumping answers when all that is alive in the process is in its file.
type dumping struct{ File string }

func (*dumping) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_dump", New: func() caddy.Module { return new(dumping) }}
}

func (d *dumping) ServeHTTP(w http.ResponseWriter, _ *http.Request, _ caddyhttp.Handler) error {
	runtime.GC()
	runtime.GC() // a pool lets go of what it holds with the second
	file, err := os.Create(d.File)
	if err != nil {
		return err
	}
	defer file.Close()
	debug.WriteHeapDump(file.Fd())
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// clinging keeps the contexts of requests, as timers that were stopped do for a while.
type clinging struct{}

var clungTo sync.Map

func (clinging) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.test_hold", New: func() caddy.Module { return new(clinging) }}
}

func (clinging) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	clungTo.Store(r.Context(), true)
	return next.ServeHTTP(w, r)
}

// dumped is a gateway in a process of its own whose memory can be looked into.
type dumped struct {
	*process
	markers
	dumper, file string
}

// startDumped starts it in front of next.
func startDumped(t *testing.T, next string, options ...string) *dumped {
	t.Helper()
	d := &dumped{markers: newMarkers(), dumper: "http://" + freeAddress(t), file: filepath.Join(t.TempDir(), "heap")}
	p := &process{site: &site{
		t: t, store: filepath.Join(t.TempDir(), "audit.db"), url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t),
	}}
	p.serviceProcess = startCaddy(t, p.config(p.withAudit(options...), next)+d.dumper+" {\n bind "+loopback+"\n test_dump * "+d.file+"\n}\n")
	if _, err := p.ready(); err != nil {
		t.Fatalf("the gateway's process: %v\n%s", err, &p.stderr)
	}
	d.process = p
	return d
}

// alive counts the copies of a part of Token or Sign in all that is alive: what nothing leads
// to any more is not in a dump.
func (d *dumped) alive() (copies int) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, d.dumper, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	if got := d.do(r); got.status != http.StatusNoContent {
		d.t.Fatalf("no dump: %d %s", got.status, got.body)
	}
	content, err := os.ReadFile(d.file)
	if err != nil {
		d.t.Fatal(err)
	}
	if len(content) < 1<<20 {
		d.t.Fatalf("a dump of %d bytes", len(content))
	}
	for _, text := range []string{d.token, d.sign} {
		for _, at := range []int{0, len(text) / 2, len(text) - fragmentSize} {
			copies = max(copies, bytes.Count(content, []byte(text[at:at+fragmentSize])))
		}
	}
	return copies
}

// send sends a request with the markers for credentials.
func (d *dumped) send(operation, body string) response {
	return d.post(operation, strings.NewReplacer(token, d.token, sign, d.sign).Replace(body))
}

// wantNone waits until no copy is left: a server needs a moment to close a connection.
func (d *dumped) wantNone(after string) {
	d.t.Helper()
	within(d.t, time.Minute, "memory without the credentials, "+after, func() bool { return d.alive() == 0 })
}

// TestNothingHoldsTheCredentialsOfAnExchangeThatIsOver: all connections are closed, as Go's
// server and client hold the newest bytes of one that is open.
func TestNothingHoldsTheCredentialsOfAnExchangeThatIsOver(t *testing.T) {
	d := startDumped(t, withFaults(t, "fault drop {\n operation FECAESolicitar\n nro 2\n count 1\n}"), append(exactly, "cache 5m")...)
	for _, step := range []struct{ operation, body, outcome string }{
		{"FECAESolicitar", invoice(1), "approved"},
		{"FECAESolicitar", invoice(1), "replayed"},
		{"FECAESolicitar", strings.Replace(invoice(2), "121.00", "7.00", 1), "refused"},
		{"FECAESolicitar", invoice(2)[:400], "malformed"},
		{"FECAESolicitar", invoice(2), "recovered"},
		{"FECompUltimoAutorizado", lastText(0), "answered"},
		{"FEParamGetTiposCbte", "{" + authText + "}", "answered"},
		{"FEParamGetTiposCbte", "{" + authText + "}", "cached"},
	} {
		if got := d.send(step.operation, step.body); got.header.Get("Wsfev1-Outcome") != step.outcome {
			t.Errorf("%s: %d %v %s, want it %s", step.operation, got.status, got.header, got.body, step.outcome)
		}
		d.wantNone("after one that was " + step.outcome)
	}
}

// TestWhoHoldsARequestHoldsNoCredentials: what leads to the context of a request, such as a
// timer, leads to the exchange. The credentials stand where Go's server never had them in its
// own buffer.
func TestWhoHoldsARequestHoldsNoCredentials(t *testing.T) {
	d := startDumped(t, "test_hold\n"+withFaults(t, "fault drop {\n operation FECAESolicitar\n nro 2\n count 1\n}"), exactly...)
	blanks := strings.Repeat(" ", 16<<10)
	for number, outcome := range []string{1: "approved", 2: "recovered"} {
		if outcome == "" {
			continue
		}
		body := strings.NewReplacer(`"Auth"`, blanks+`"Auth"`, `"FeCAEReq"`, blanks+`"FeCAEReq"`).Replace(invoice(number))
		if got := d.send("FECAESolicitar", body); got.header.Get("Wsfev1-Outcome") != outcome {
			t.Errorf("%d %v %s, want it %s", got.status, got.header, got.body, outcome)
		}
		d.wantNone("after one that was " + outcome)
	}
}

// TestCredentialsAreHeldOnlyWhileSomethingIsUnknown: the service is asked with them, until
// it tells.
func TestCredentialsAreHeldOnlyWhileSomethingIsUnknown(t *testing.T) {
	var back atomic.Bool
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case path.Base(r.URL.Path) == "FECAESolicitar":
			panic(http.ErrAbortHandler)
		case back.Load():
			answering(200, consulted("1"))(w, r)
		default:
			answering(200, `{"Errors":{"Err":[{"Code":501,"Msg":"x"}]}}`)(w, r)
		}
	})
	d := startDumped(t, proxyTo(upstream.URL, "transport http {\n keepalive off\n }"), exactly...)
	if got := d.send("FECAESolicitar", invoice(1)); got.header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.status, got.header, got.body)
	}
	if d.alive() == 0 {
		t.Error("nobody can ask what became of it, or the dump shows nothing")
	}
	back.Store(true)
	d.wantNone("when it was settled")
	eventually(t, "a settlement", func() bool { return d.metric(`wsfev1_recoveries_total{result="recovered"}`) == "1" })
}
