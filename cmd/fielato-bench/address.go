package main

import (
	"fmt"
	"net"
	"os"
)

// loopback is an address of this process alone, where the system has more than one.
// Caddy shares its ports with every process that listens on the same address
// (SO_REUSEPORT): of two runs at a time each would answer the other's requests.
func loopback() string {
	pid := os.Getpid()
	own := fmt.Sprintf("127.%d.%d.%d", 1+pid>>14&0x7f, pid>>7&0x7f, 1+pid&0x7f)
	listener, err := net.Listen("tcp", own+":0")
	if err != nil {
		return "127.0.0.1"
	}
	_ = listener.Close()
	return own
}

// addresses gives out addresses on which nothing listens, none of them twice: the system
// may give a port again as soon as it is free.
type addresses struct {
	host  string
	given map[string]bool
}

func newAddresses() *addresses { return &addresses{host: loopback(), given: map[string]bool{}} }

func (a *addresses) free() (string, error) {
	for {
		listener, err := net.Listen("tcp", a.host+":0")
		if err != nil {
			return "", fmt.Errorf("looking for a free port: %w", err)
		}
		address := listener.Addr().String()
		_ = listener.Close()
		if !a.given[address] {
			a.given[address] = true
			return address, nil
		}
	}
}
