package caddytest

import (
	"net/netip"
	"os"
	"strconv"
	"syscall"

	"github.com/caddyserver/caddy/v2"
)

// listeners returns at how many sockets this process listens at an address of IPv4. Caddy counts a listener out before
// it closes the socket, and the kernel hands connections to that socket until it is closed. For other addresses, Caddy's
// count has to do.
//
// It asks the kernel about each open file of the process. /proc/net/tcp has the answer too, and all connections of the
// machine: tests that wait for a socket would spend a tenth of their processor time on it.
func listeners(address string) (count int) {
	at, err := netip.ParseAddrPort(address)
	files, unreadable := os.ReadDir("/proc/self/fd")
	if err != nil || unreadable != nil || !at.Addr().Is4() {
		return caddy.ListenerUsage("tcp", address)
	}
	for _, file := range files {
		fd, err := strconv.Atoi(file.Name())
		if err != nil {
			continue
		}
		if listens, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN); err != nil || listens == 0 {
			continue // or no socket, or closed meanwhile
		}
		if own, err := syscall.Getsockname(fd); err == nil {
			if own, ok := own.(*syscall.SockaddrInet4); ok && netip.AddrPortFrom(netip.AddrFrom4(own.Addr), uint16(own.Port)) == at {
				count++
			}
		}
	}
	return count
}
