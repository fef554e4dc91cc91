package caddytest

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
)

// listeners returns how many sockets listen at an address of IPv4. Caddy counts a listener out before it closes
// the socket, and the kernel hands connections to that socket until it is closed. Elsewhere than on Linux, and for other
// addresses, Caddy's count has to do.
func listeners(address string) int {
	at, other := netip.ParseAddrPort(address)
	table, err := os.ReadFile("/proc/net/tcp")
	if other != nil || err != nil || !at.Addr().Is4() {
		return caddy.ListenerUsage("tcp", address)
	}
	ip := at.Addr().As4()
	local := fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(ip[:]), at.Port())
	count := 0
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 3 && fields[1] == local && fields[3] == "0A" { // TCP_LISTEN
			count++
		}
	}
	return count
}
