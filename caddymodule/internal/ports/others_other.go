//go:build !linux

package ports

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"

	"github.com/caddyserver/caddy/v2"
)

// Tried returns the addresses of listeners that another process holds. It leaves out this process: the
// addresses where it listens by the same text, and except. It must be called before Caddy opens its
// listeners.
func Tried(listen []string, except []netip.AddrPort) (holders []Holder) {
	for _, text := range listen {
		for _, a := range Of(text) {
			own := func(other netip.AddrPort) bool { return overlap(a, other) }
			if listensHere(text, a.Port()) || slices.ContainsFunc(except, own) {
				continue
			}
			listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(a))
			if err == nil {
				_ = listener.Close()
			} else if errors.Is(err, syscall.EADDRINUSE) {
				holders = append(holders, Holder{Address: a})
			}
		}
	}
	return holders
}

// listensHere reports whether Caddy in this process has a listener of this text.
func listensHere(text string, port uint16) bool {
	parsed, err := caddy.ParseNetworkAddress(text)
	return err == nil && caddy.ListenerUsage(parsed.Network, net.JoinHostPort(parsed.Host, strconv.Itoa(int(port)))) > 0
}

// Others knows nothing once Caddy listens. used are the addresses.
func Others(addresses, _ []netip.AddrPort) (holders []Holder, used []netip.AddrPort) {
	return nil, addresses
}
