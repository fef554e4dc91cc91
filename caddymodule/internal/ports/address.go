package ports

import (
	"net"
	"net/netip"

	"github.com/caddyserver/caddy/v2"
)

// Of returns the TCP addresses of a listener's address as a configuration has it. A Unix socket, a
// socket that was handed over and port 0 have none: nobody shares them. A name stands for all of
// its addresses.
func Of(listen string) (addresses []netip.AddrPort) {
	parsed, err := caddy.ParseNetworkAddress(listen)
	if err != nil || parsed.StartPort == 0 || parsed.Network != "tcp" && parsed.Network != "tcp4" && parsed.Network != "tcp6" {
		return nil
	}
	for port := parsed.StartPort; port <= parsed.EndPort; port++ {
		for _, ip := range ipsOf(parsed.Network, parsed.Host) {
			addresses = append(addresses, netip.AddrPortFrom(ip, uint16(port)))
		}
	}
	return addresses
}

func ipsOf(network, host string) []netip.Addr {
	if host == "" {
		if network == "tcp4" {
			return []netip.Addr{netip.IPv4Unspecified()}
		}
		return []netip.Addr{netip.IPv6Unspecified()}
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip.Unmap().WithZone("")}
	}
	// A listener on a name takes one of its addresses, IPv4 if there is any.
	found, err := net.ResolveTCPAddr(network, net.JoinHostPort(host, "0"))
	if err != nil {
		return nil
	}
	return []netip.Addr{found.AddrPort().Addr().Unmap()}
}
