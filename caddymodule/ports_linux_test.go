package caddymodule_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// refusedProcess starts a process that must end, and looks why it does.
func refusedProcess(t *testing.T, caddyfile string, reasons ...string) {
	t.Helper()
	p := caddytest.StartCaddy(t, caddyfile)
	if _, err := p.Ready(); err == nil {
		t.Error("it has started")
	}
	p.End()
	for _, reason := range reasons {
		if !strings.Contains(p.Stderr.String(), reason) {
			t.Errorf("%s\nlacks %q", &p.Stderr, reason)
		}
	}
}

// demo is a gateway with the built-in service at the address of another one.
func demo(t *testing.T, url string) (*caddytest.Site, string) {
	s := &caddytest.Site{T: t, URL: url, Metrics: "http://" + caddytest.FreeAddress(t), Store: filepath.Join(t.TempDir(), "audit.db")}
	return s, s.Config(s.Audit(), caddytest.WithBackend(t))
}

// TestASecondGatewayOnThePortDoesNotStart: the system would give it a part of the invoices.
func TestASecondGatewayOnThePortDoesNotStart(t *testing.T) {
	t.Parallel()
	first := caddytest.StartProcess(t, caddytest.WithBackend(t))
	_, caddyfile := demo(t, first.URL)
	address := strings.TrimPrefix(first.URL, "http://")
	names := fmt.Sprintf("%s is taken by process %d, ", address, first.Cmd.Process.Pid)
	refusedProcess(t, caddyfile, "another process listens where this one would", names, "share_ports")
	// So it is where one of the two listens on all addresses.
	all := strings.Replace(caddyfile, "bind "+caddytest.Loopback, "bind 0.0.0.0", 1)
	refusedProcess(t, all, names)
	all = strings.Replace(caddyfile, "bind "+caddytest.Loopback, "bind [::]", 1)
	refusedProcess(t, all, names)
	for n := 1; n <= 10; n++ {
		if got := first.Post("FECAESolicitar", caddytest.Invoice(n)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
			t.Errorf("invoice %d: %d %s", n, got.Status, got.Body)
		}
	}
	if got := len(first.Records()); got != 20 {
		t.Errorf("%d records, want both of ten invoices", got)
	}
}

// TestASecondGatewayBehindOneOnAllAddressesDoesNotStart: it would take its local requests away.
func TestASecondGatewayBehindOneOnAllAddressesDoesNotStart(t *testing.T) {
	t.Parallel()
	first := &caddytest.Process{Site: &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t), Store: filepath.Join(t.TempDir(), "audit.db")}}
	config := first.Config(first.Audit(), caddytest.WithBackend(t))
	first.ServiceProcess = caddytest.StartReady(t, strings.Replace(config, "bind "+caddytest.Loopback+"\n", "\n", 1))
	_, caddyfile := demo(t, first.URL)
	refusedProcess(t, caddyfile, fmt.Sprintf("is taken by process %d, ", first.Cmd.Process.Pid))
}

// TestASecondGatewayOnTheAdminAPIDoesNotStart: a reload would reach one of the two.
func TestASecondGatewayOnTheAdminAPIDoesNotStart(t *testing.T) {
	t.Parallel()
	admin := caddytest.FreeAddress(t)
	var configs [2]string
	for i := range configs {
		_, caddyfile := demo(t, "http://"+caddytest.FreeAddress(t))
		configs[i] = strings.Replace(caddyfile, "admin off", "admin "+admin, 1)
	}
	first := caddytest.StartReady(t, configs[0])
	refusedProcess(t, configs[1], fmt.Sprintf("%s is taken by process %d, ", admin, first.Cmd.Process.Pid))
}

// TestGatewaysMayShareAPort if they say so; and then one of them may be reloaded.
func TestGatewaysMayShareAPort(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	same := s.Config(s.Audit(), caddytest.WithBackend(t))
	_, caddyfile := demo(t, s.URL)
	sharing := strings.Replace(caddyfile, "admin off", "admin off\n\twsfev1 {\n\t\tshare_ports\n\t}", 1)
	second := caddytest.StartReady(t, sharing)
	s.Load(same)
	elsewhere := strings.ReplaceAll(same, s.URL, "http://"+caddytest.FreeAddress(t))
	s.Load(elsewhere)
	// From another port it does not come back: that is a start there.
	err := caddytest.LoadCaddyfile(same)
	if want := fmt.Sprintf("is taken by process %d, ", second.Cmd.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	second.End()
	s.Load(same)
}

// TestARestartMayOverlap: the one before is told to stop when the next one starts.
func TestARestartMayOverlap(t *testing.T) {
	t.Parallel()
	first := caddytest.StartProcess(t, caddytest.WithBackend(t))
	s, caddyfile := demo(t, first.URL)
	next := caddytest.StartCaddy(t, caddyfile)
	first.End()
	if _, err := next.Ready(); err != nil {
		t.Fatalf("%v\n%s", err, &next.Stderr)
	}
	if got := s.Post("FEDummy", "{}"); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// TestASiteOnAUnixSocketStarts and is reloaded: it has no port.
func TestASiteOnAUnixSocketStarts(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	socket := filepath.Join(t.TempDir(), "s")
	caddyfile := fmt.Sprintf("{\n\tadmin unix/%s.admin\n\tpersist_config off\n}\nhttp://localhost {\n\tbind unix/%s\n\twsfev1 {\n\t\t%s\n\t}\n\t%s\n}\n",
		socket, socket, s.Audit(), caddytest.WithBackend(t))
	// A stop leaves the admin API at work, a configuration without one ends it.
	defer s.Load(s.Config(s.Audit(), "respond ok"))
	for range 2 {
		s.Load(caddyfile)
		for _, path := range []string{socket, socket + ".admin"} {
			connection, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			connection.Close()
		}
	}
}

// TestARefusedSecondGatewayTakesNoRequest: it looks at the ports before it listens there.
func TestARefusedSecondGatewayTakesNoRequest(t *testing.T) {
	first := caddytest.StartProcess(t, caddytest.WithBackend(t))
	ended, answered := make(chan struct{}), make(chan struct{}, 1)
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			pace := time.NewTicker(20 * time.Millisecond) // for as long as the port is waited for
			defer pace.Stop()
			for {
				select {
				case <-ended:
					return
				case <-pace.C:
				}
				got, err := caddytest.Try(first.Request(t.Context(), "FEDummy", "{}"))
				if err != nil || got.Status != 200 {
					t.Errorf("a request was lost: %d %v", got.Status, err)
				}
				select {
				case answered <- struct{}{}:
				default:
				}
			}
		})
	}
	<-answered
	for range 3 { // Caddy starts its apps in any order
		_, caddyfile := demo(t, first.URL)
		second := caddytest.StartCaddy(t, caddyfile)
		if _, err := second.Ready(); err == nil {
			t.Error("it has started")
		}
		second.End()
		if text := second.Stderr.String(); !strings.Contains(text, "is taken by process") || strings.Contains(text, "server running") {
			t.Errorf("it has listened:\n%s", text)
		}
	}
	close(ended)
	clients.Wait()
}
