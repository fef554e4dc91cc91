package caddymodule_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// refusedProcess starts a process that must end, and looks why it does.
func refusedProcess(t *testing.T, caddyfile string, reasons ...string) {
	t.Helper()
	p := startCaddy(t, caddyfile)
	if _, err := p.ready(); err == nil {
		t.Error("it has started")
	}
	p.end()
	for _, reason := range reasons {
		if !strings.Contains(p.stderr.String(), reason) {
			t.Errorf("%s\nlacks %q", &p.stderr, reason)
		}
	}
}

// demo is a gateway with the built-in service at the address of another one.
func demo(t *testing.T, url string) (*site, string) {
	s := &site{t: t, url: url, metrics: "http://" + freeAddress(t), store: filepath.Join(t.TempDir(), "audit.db")}
	return s, s.config(s.audit(), withBackend(t))
}

// TestASecondGatewayOnThePortDoesNotStart: the system would give it a part of the invoices.
func TestASecondGatewayOnThePortDoesNotStart(t *testing.T) {
	first := startProcess(t, withBackend(t))
	_, caddyfile := demo(t, first.url)
	address := strings.TrimPrefix(first.url, "http://")
	names := fmt.Sprintf("%s is taken by process %d, ", address, first.cmd.Process.Pid)
	refusedProcess(t, caddyfile, "another process listens where this one would", names, "share_ports")
	// So it is where one of the two listens on all addresses.
	all := strings.Replace(caddyfile, "bind "+loopback, "bind 0.0.0.0", 1)
	refusedProcess(t, all, names)
	all = strings.Replace(caddyfile, "bind "+loopback, "bind [::]", 1)
	refusedProcess(t, all, names)
	for n := 1; n <= 10; n++ {
		if got := first.post("FECAESolicitar", invoice(n)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
			t.Errorf("invoice %d: %d %s", n, got.status, got.body)
		}
	}
	if got := len(first.records()); got != 20 {
		t.Errorf("%d records, want both of ten invoices", got)
	}
}

// TestASecondGatewayBehindOneOnAllAddressesDoesNotStart: it would take its local requests away.
func TestASecondGatewayBehindOneOnAllAddressesDoesNotStart(t *testing.T) {
	first := &process{site: &site{t: t, url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t), store: filepath.Join(t.TempDir(), "audit.db")}}
	config := first.config(first.audit(), withBackend(t))
	first.serviceProcess = startReady(t, strings.Replace(config, "bind "+loopback+"\n", "\n", 1))
	_, caddyfile := demo(t, first.url)
	refusedProcess(t, caddyfile, fmt.Sprintf("is taken by process %d, ", first.cmd.Process.Pid))
}

// TestASecondGatewayOnTheAdminAPIDoesNotStart: a reload would reach one of the two.
func TestASecondGatewayOnTheAdminAPIDoesNotStart(t *testing.T) {
	admin := freeAddress(t)
	var configs [2]string
	for i := range configs {
		_, caddyfile := demo(t, "http://"+freeAddress(t))
		configs[i] = strings.Replace(caddyfile, "admin off", "admin "+admin, 1)
	}
	first := startReady(t, configs[0])
	refusedProcess(t, configs[1], fmt.Sprintf("%s is taken by process %d, ", admin, first.cmd.Process.Pid))
}

// TestGatewaysMayShareAPort if they say so; and then one of them may be reloaded.
func TestGatewaysMayShareAPort(t *testing.T) {
	s := start(t, withBackend(t))
	same := s.config(s.audit(), withBackend(t))
	_, caddyfile := demo(t, s.url)
	sharing := strings.Replace(caddyfile, "admin off", "admin off\n\twsfev1 {\n\t\tshare_ports\n\t}", 1)
	second := startReady(t, sharing)
	s.load(same)
	elsewhere := strings.ReplaceAll(same, s.url, "http://"+freeAddress(t))
	s.load(elsewhere)
	// From another port it does not come back: that is a start there.
	refusedFor(t, same, fmt.Sprintf("is taken by process %d, ", second.cmd.Process.Pid))
	second.end()
	s.load(same)
}

// TestARestartMayOverlap: the one before is told to stop when the next one starts.
func TestARestartMayOverlap(t *testing.T) {
	first := startProcess(t, withBackend(t))
	s, caddyfile := demo(t, first.url)
	next := startCaddy(t, caddyfile)
	first.end()
	if _, err := next.ready(); err != nil {
		t.Fatalf("%v\n%s", err, &next.stderr)
	}
	if got := s.post("FEDummy", "{}"); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestASiteOnAUnixSocketStarts and is reloaded: it has no port.
func TestASiteOnAUnixSocketStarts(t *testing.T) {
	s := start(t, "respond ok")
	socket := filepath.Join(t.TempDir(), "s")
	caddyfile := fmt.Sprintf("{\n\tadmin unix/%s.admin\n\tpersist_config off\n}\nhttp://localhost {\n\tbind unix/%s\n\twsfev1 {\n\t\t%s\n\t}\n\t%s\n}\n",
		socket, socket, s.audit(), withBackend(t))
	for range 2 {
		s.load(caddyfile)
		for _, path := range []string{socket, socket + ".admin"} {
			connection, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			connection.Close()
		}
	}
}
