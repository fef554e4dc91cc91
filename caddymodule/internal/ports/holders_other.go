//go:build !linux

package ports

import (
	"errors"
	"net/netip"
	"syscall"
)

// holdersOf returns a holder without a name if somebody has an address. err is from the attempt to
// listen there.
func holdersOf(a netip.AddrPort, err error) []Holder {
	if errors.Is(err, syscall.EADDRINUSE) {
		return []Holder{{Address: a}}
	}
	return nil
}

// Shared returns nothing: this system has no table of sockets to read.
func Shared() []Holder { return nil }
