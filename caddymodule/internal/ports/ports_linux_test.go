package ports

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestThisProcessIsNoOther, and its listeners are in the kernel's table, in both families.
func TestThisProcessIsNoOther(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"} {
		listener, err := net.Listen("tcp", at)
		if err != nil {
			t.Logf("%s: %v", at, err) // a machine without IPv6
			continue
		}
		defer listener.Close()
		own := listener.Addr().(*net.TCPAddr).AddrPort()
		if holders := Taken(own.String(), nil); len(holders) > 0 {
			t.Errorf("%s: %v", own, holders)
		}
		ours, others := sockets()
		has := func(s socket) bool { return s.address == own }
		i := slices.IndexFunc(ours, has)
		if i < 0 || slices.ContainsFunc(others, has) {
			t.Fatalf("%s: %v, %v", own, ours, others)
		}
		if owner(ours[i]).PID != os.Getpid() {
			t.Errorf("%+v", owner(ours[i]))
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
