package ports

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestOthersLeavesOutThisProcess, and returns its addresses.
func TestOthersLeavesOutThisProcess(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	own := listener.Addr().(*net.TCPAddr).AddrPort()
	holders, used := Others([]netip.AddrPort{own}, nil)
	if len(holders) > 0 || len(Without([]netip.AddrPort{own}, used)) > 0 {
		t.Errorf("%v, %v", holders, used)
	}
	for _, s := range listening() {
		if s.address == own && owner(s).PID != os.Getpid() {
			t.Errorf("%+v", owner(s))
		}
	}
}

// tableOf returns a table as the kernel prints it, with sockets in these states. Their inodes are
// 1, 2 and so on.
func tableOf(states ...string) string {
	table := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	for i, state := range states {
		table += fmt.Sprintf("%4d: 0100007F:1F90 00000000:0000 %s 00000000:00000000 00:00000000 00000000     0        0 %d 1 0 100 0 0 10 0\n", i, state, i+1)
	}
	return table
}

// TestConnectionsAreNotRead: the kernel lists listeners first, and makes the table as it is read. What
// an old kernel lists behind a listener ends nothing.
func TestConnectionsAreNotRead(t *testing.T) {
	connections := strings.NewReader(strings.Repeat(tableOf("01", "06"), 1000))
	before := connections.Len()
	var inodes []string
	for _, s := range listenersOf(io.MultiReader(strings.NewReader(tableOf("0A", "03", "0A", "01")), connections)) {
		inodes = append(inodes, s.inode)
	}
	if !slices.Equal(inodes, []string{"1", "3"}) {
		t.Errorf("%v", inodes)
	}
	if connections.Len() != before {
		t.Errorf("%d bytes of connections were read", before-connections.Len())
	}
	if all := listenersOf(strings.NewReader(tableOf())); len(all) > 0 {
		t.Errorf("%v", all)
	}
}

// TestASummaryHasNoOtherArguments: they may hold secrets.
func TestASummaryHasNoOtherArguments(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"/usr/bin/fielato", "run", "--config", "demo.caddyfile", "--envfile", "secret"}, "fielato run --config demo.caddyfile"},
		{[]string{"fielato", "run", "--config=demo.caddyfile"}, "fielato run --config demo.caddyfile"},
		{[]string{"caddy", "run", "-c", "demo"}, "caddy run --config demo"},
		{[]string{"server", "--password", "secret"}, "server"},
		{[]string{"server", "password=secret"}, "server"},
		{[]string{"caddy", "run", "--config"}, "caddy run --config "},
		{nil, ""},
	} {
		if got := summary(test.arguments); got != test.want {
			t.Errorf("%v: %q, want %q", test.arguments, got, test.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for listen, want := range map[string]string{
		":8080": "[::]:8080", "127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80", "tcp4/:80": "0.0.0.0:80",
		"unix//run/x": "", "fd/3": "", "udp/:80": "", ":0": "",
	} {
		got := Of(listen)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0].String() != want) {
			t.Errorf("%s: %v, want %s", listen, got, want)
		}
	}
	if got := Of(":80-82"); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

// TestBothWaysFindTheSameListeners, in both families.
func TestBothWaysFindTheSameListeners(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"} {
		listener, err := net.Listen("tcp", at)
		if err != nil {
			t.Logf("%s: %v", at, err) // a machine without IPv6
			continue
		}
		defer listener.Close()
		own := listener.Addr().(*net.TCPAddr).AddrPort()
		asked, err := diagnosed()
		if err != nil {
			t.Fatal(err)
		}
		of := func(sockets []socket) (found []socket) {
			for _, s := range sockets {
				if s.address.Port() == own.Port() {
					found = append(found, s)
				}
			}
			return found
		}
		if found := of(asked); len(found) != 1 || !slices.Equal(found, of(listed())) || !ownSockets()[found[0].inode] {
			t.Errorf("%s: %v, %v", at, found, of(listed()))
		}
	}
}

// TestAKernelThatCannotTellIsNoEmptyMachine: the other way must be tried then.
func TestAKernelThatCannotTellIsNoEmptyMachine(t *testing.T) {
	message := func(kind uint16, data ...byte) []byte {
		m := binary.NativeEndian.AppendUint32(nil, uint32(16+len(data)))
		m = binary.NativeEndian.AppendUint16(m, kind)
		return append(append(m, make([]byte, 10)...), data...)
	}
	missing := binary.NativeEndian.AppendUint32(nil, ^uint32(syscall.ENOENT)+1)
	for name, part := range map[string][]byte{
		"done, with an error":    message(syscall.NLMSG_DONE, missing...),
		"done, without a status": message(syscall.NLMSG_DONE),
		"an error":               message(syscall.NLMSG_ERROR, missing...),
		"a part of a socket":     message(diagByFamily, make([]byte, answerLength-4)...),
		"nothing":                nil,
		"a part of a header":     make([]byte, 8),
	} {
		if sockets, _, err := addDiag(part, nil); err == nil {
			t.Errorf("%s: %v", name, sockets)
		}
	}
	if _, done, err := addDiag(message(syscall.NLMSG_DONE, 0, 0, 0, 0), nil); !done || err != nil {
		t.Errorf("done: %v, %v", done, err)
	}
}

// BenchmarkListening compares both ways.
func BenchmarkListening(b *testing.B) {
	for name, ask := range map[string]func(){"sock_diag": func() { _, _ = diagnosed() }, "proc": func() { listed() }} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ask()
			}
		})
	}
}
