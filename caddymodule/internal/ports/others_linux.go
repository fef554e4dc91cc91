package ports

import (
	"net"
	"net/netip"
	"slices"
)

// Tried is nothing here: Others sees other processes at any time.
func Tried([]string, []netip.AddrPort) []Holder { return nil }

// Others returns the processes that listen on these addresses, or on those where this process
// listens already, but for the ones in except. used are all of these addresses of this process.
func Others(addresses, except []netip.AddrPort) (holders []Holder, used []netip.AddrPort) {
	own := ownSockets()
	var foreign []socket
	used = slices.Clone(addresses)
	for _, s := range listening() {
		switch {
		case !own[s.inode]:
			foreign = append(foreign, s)
		case !slices.Contains(used, s.address):
			used = append(used, s.address)
		}
	}
	for _, s := range foreign {
		if slices.ContainsFunc(Without(used, except), func(ours netip.AddrPort) bool { return shares(ours, s.address) }) {
			holders = append(holders, owner(s))
		}
	}
	return holders, used
}

// shares reports whether both listeners get connections. An IPv6 listener for all addresses may be
// for IPv4 too, or not.
func shares(ours, other netip.AddrPort) bool {
	if !overlap(ours, other) {
		return false
	}
	if !other.Addr().Is6() || !other.Addr().IsUnspecified() || !ours.Addr().Is4() {
		return true
	}
	return !ours.Addr().IsUnspecified() && takesIPv4(other.Port())
}

// takesIPv4 reports whether something listens on a port of all IPv4 addresses. It tries an address
// that nobody uses.
func takesIPv4(port uint16) bool {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 255, 255, 254), Port: int(port)})
	if err == nil {
		_ = listener.Close()
	}
	return err != nil
}
