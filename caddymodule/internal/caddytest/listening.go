package caddytest

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// listeners returns at how many sockets this process listens at an address of IPv4. Caddy counts a listener out before
// it closes the socket, and the kernel hands connections to that socket until it is closed. Elsewhere than on Linux, and
// for other addresses, Caddy's count has to do.
func listeners(address string) int {
	at, other := netip.ParseAddrPort(address)
	table, err := os.ReadFile("/proc/net/tcp")
	if other != nil || err != nil || !at.Addr().Is4() {
		return caddy.ListenerUsage("tcp", address)
	}
	ip := at.Addr().As4()
	local := fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(ip[:]), at.Port())
	own, count := sockets(), 0
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 9 && fields[1] == local && fields[3] == "0A" && own["socket:["+fields[9]+"]"] { // TCP_LISTEN
			count++
		}
	}
	return count
}

// sockets returns the open sockets of this process, as its file descriptors name them, and other files.
func sockets() map[string]bool {
	own := map[string]bool{}
	files, _ := filepath.Glob("/proc/self/fd/*") // the pattern is one
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil { // else it was closed meanwhile
			own[target] = true
		}
	}
	return own
}
