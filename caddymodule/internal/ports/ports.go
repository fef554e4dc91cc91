package ports

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"syscall"

	"github.com/caddyserver/caddy/v2"
)

// Holder is a process that listens on an address.
type Holder struct {
	Address netip.AddrPort
	// PID is 0 where the system does not tell.
	PID int
	// Command is the name of its program, with the first word after it and the configuration, and
	// no other arguments: they may hold secrets. Folder is where it runs.
	Command, Folder string
}

// String returns the holder for an error or a table.
func (h Holder) String() string {
	if h.PID == 0 {
		return "a process that the system does not name"
	}
	text := fmt.Sprintf("process %d", h.PID)
	if h.Command != "" {
		text += ", " + h.Command
	}
	if h.Folder != "" {
		text += " in " + h.Folder
	}
	return text
}

// Taken returns the other processes that have the TCP addresses of a listener's address. It leaves out
// the addresses where Caddy listens in this process: addresses of the same text, and addresses that overlap one
// of served.
func Taken(listen string, served []netip.AddrPort) (holders []Holder) {
	for _, a := range Of(listen) {
		own := func(other netip.AddrPort) bool { return overlap(a, other) }
		if listensHere(listen, a.Port()) || slices.ContainsFunc(served, own) {
			continue
		}
		if err := tryToListen(a); err != nil {
			holders = append(holders, holdersOf(a, err)...)
		}
	}
	return holders
}

// Foreign reports whether this machine lacks an address of a listener's, so that nothing can listen there.
func Foreign(listen string) bool {
	return slices.ContainsFunc(Of(listen), func(a netip.AddrPort) bool {
		return errors.Is(tryToListen(netip.AddrPortFrom(a.Addr(), 0)), syscall.EADDRNOTAVAIL)
	})
}

// tryToListen listens at an address for a moment.
func tryToListen(a netip.AddrPort) error {
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(a))
	if err != nil {
		return err
	}
	return listener.Close()
}

// listensHere reports whether Caddy in this process has a listener of this text.
func listensHere(text string, port uint16) bool {
	parsed, err := caddy.ParseNetworkAddress(text)
	return err == nil && caddy.ListenerUsage(parsed.Network, net.JoinHostPort(parsed.Host, strconv.Itoa(int(port)))) > 0
}

// overlap reports whether a listener on one address takes connections to the other.
func overlap(a, b netip.AddrPort) bool {
	x, y := a.Addr().Unmap(), b.Addr().Unmap()
	switch {
	case a.Port() != b.Port():
		return false
	case x == y:
		return true
	case x.IsUnspecified():
		return x.Is6() || y.Is4()
	case y.IsUnspecified():
		return y.Is6() || x.Is4()
	}
	return false
}
