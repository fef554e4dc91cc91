package gateway_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
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
	*caddytest.Process
	caddytest.Markers
	dumper, file string
}

// startDumped starts it in front of next.
func startDumped(t *testing.T, next string, options ...string) *dumped {
	t.Helper()
	d := &dumped{Markers: caddytest.NewMarkers(), dumper: "http://" + caddytest.FreeAddress(t), file: filepath.Join(t.TempDir(), "heap")}
	p := &caddytest.Process{Site: &caddytest.Site{
		T: t, Store: filepath.Join(t.TempDir(), "audit.db"), URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t),
	}}
	p.ServiceProcess = caddytest.StartCaddy(t, p.Config(p.WithAudit(options...), next)+d.dumper+" {\n bind "+caddytest.Loopback+"\n test_dump * "+d.file+"\n}\n")
	if _, err := p.Ready(); err != nil {
		t.Fatalf("the gateway's process: %v\n%s", err, &p.Stderr)
	}
	d.Process = p
	return d
}

// alive counts the copies of a part of Token or Sign in all that is alive: what nothing leads
// to any more is not in a dump.
func (d *dumped) alive() (copies int) {
	d.T.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, d.dumper, nil)
	if err != nil {
		d.T.Fatal(err)
	}
	if got := d.Do(r); got.Status != http.StatusNoContent {
		d.T.Fatalf("no dump: %d %s", got.Status, got.Body)
	}
	content, err := os.ReadFile(d.file)
	if err != nil {
		d.T.Fatal(err)
	}
	if len(content) < 1<<20 {
		d.T.Fatalf("a dump of %d bytes", len(content))
	}
	for _, text := range []string{d.Token, d.Sign} {
		for _, at := range []int{0, len(text) / 2, len(text) - caddytest.FragmentSize} {
			copies = max(copies, bytes.Count(content, []byte(text[at:at+caddytest.FragmentSize])))
		}
	}
	return copies
}

// send sends a request with the markers for credentials.
func (d *dumped) send(face caddytest.Face, operation, body string) caddytest.Response {
	return face.Post(d.Site, operation, face.Own(strings.NewReplacer(caddytest.Token, d.Token, caddytest.Sign, d.Sign).Replace(body)))
}

// wantNone waits until no copy is left: a server needs a moment to close a connection.
func (d *dumped) wantNone(after string) {
	d.T.Helper()
	caddytest.Within(d.T, time.Minute, "memory without the credentials, "+after, func() bool { return d.alive() == 0 })
}

// TestNothingHoldsTheCredentialsOfAnExchangeThatIsOver: all connections are closed, as Go's
// server and client hold the newest bytes of one that is open.
func TestNothingHoldsTheCredentialsOfAnExchangeThatIsOver(t *testing.T) {
	d := startDumped(t, caddytest.WithFaults(t, "fault drop {\n operation FECAESolicitar\n nro 2\n count 3\n}"), append(caddytest.Exactly, "cache 5m")...)
	for _, face := range caddytest.Faces {
		for _, step := range []struct{ operation, body, outcome string }{
			{"FECAESolicitar", caddytest.Invoice(1), "approved"},
			{"FECAESolicitar", caddytest.Invoice(1), "replayed"},
			{"FECAESolicitar", strings.Replace(caddytest.Invoice(2), "121.00", "7.00", 1), "refused"},
			{"FECAESolicitar", caddytest.Invoice(2), "recovered"},
			{"FECompUltimoAutorizado", caddytest.LastText(0), "answered"},
			{"FEParamGetPtosVenta", "{" + caddytest.AuthText + "}", "answered"},
			{"FEParamGetPtosVenta", "{" + caddytest.AuthText + "}", "cached"},
		} {
			if got := d.send(face, step.operation, step.body); got.Header.Get("Wsfev1-Outcome") != step.outcome {
				t.Errorf("%s, %s: %d %v %s, want it %s", face.Name, step.operation, got.Status, got.Header, got.Body, step.outcome)
			}
		}
		text := face.Write(d.Site, "FECAESolicitar", strings.NewReplacer(caddytest.Token, d.Token, caddytest.Sign, d.Sign).Replace(caddytest.Invoice(2)))
		for _, wrong := range []string{text[:len(text)-40], strings.Replace(text, "FeCabReq", "FeCab", 1)} {
			if got := face.PostText(d.Site, "FECAESolicitar", wrong); got.Header.Get("Wsfev1-Outcome") != "malformed" {
				t.Errorf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
			}
		}
		d.wantNone("after " + face.Name)
	}
}

// TestWhoHoldsARequestHoldsNoCredentials: what leads to the context of a request, such as a
// timer, leads to the exchange. The credentials stand where Go's server never had them in its
// own buffer.
func TestWhoHoldsARequestHoldsNoCredentials(t *testing.T) {
	d := startDumped(t, "test_hold\n"+caddytest.WithFaults(t, "fault drop {\n operation FECAESolicitar\n nro 2\n count 3\n}"), caddytest.Exactly...)
	blanks := strings.Repeat(" ", 16<<10)
	for _, face := range caddytest.Faces {
		for i, outcome := range []string{"approved", "recovered"} {
			number := i + 1
			body := strings.NewReplacer(caddytest.Token, d.Token, caddytest.Sign, d.Sign).Replace(face.Own(caddytest.Invoice(number)))
			text := strings.NewReplacer(`"Auth"`, blanks+`"Auth"`, `"FeCAEReq"`, blanks+`"FeCAEReq"`, "<Auth>", blanks+"<Auth>", "<FeCAEReq>", blanks+"<FeCAEReq>").
				Replace(face.Write(d.Site, "FECAESolicitar", body))
			if got := face.PostText(d.Site, "FECAESolicitar", text); got.Header.Get("Wsfev1-Outcome") != outcome {
				t.Errorf("%s: %d %v %s, want it %s", face.Name, got.Status, got.Header, got.Body, outcome)
			}
			d.wantNone("after one of " + face.Name + " that was " + outcome)
		}
	}
}

// TestCredentialsAreHeldOnlyWhileSomethingIsUnknown: the service is asked with them, until
// it tells.
func TestCredentialsAreHeldOnlyWhileSomethingIsUnknown(t *testing.T) {
	var back atomic.Bool
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case path.Base(r.URL.Path) == "FECAESolicitar":
			panic(http.ErrAbortHandler)
		case back.Load():
			caddytest.Answering(200, consulted("1"))(w, r)
		default:
			caddytest.Answering(200, `{"Errors":{"Err":[{"Code":501,"Msg":"x"}]}}`)(w, r)
		}
	})
	d := startDumped(t, caddytest.ProxyTo(upstream.URL, "transport http {\n keepalive off\n }"), caddytest.Exactly...)
	for i, face := range caddytest.Faces {
		back.Store(false)
		if got := d.send(face, "FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "unknown" {
			t.Fatalf("%s: %d %v %s", face.Name, got.Status, got.Header, got.Body)
		}
		if d.alive() == 0 {
			t.Error("nobody can ask what became of it, or the dump shows nothing")
		}
		back.Store(true)
		d.wantNone("when it was settled")
		caddytest.Eventually(t, "a settlement", func() bool { return d.Metric(`wsfev1_recoveries_total{result="recovered"}`) == strconv.Itoa(i+1) })
	}
}
