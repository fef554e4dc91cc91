package ports

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
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

// summary returns what may be shown of a command line.
func summary(arguments []string) string {
	if len(arguments) == 0 {
		return ""
	}
	shown := []string{filepath.Base(arguments[0])}
	rest := arguments[1:]
	if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.Contains(rest[0], "=") {
		shown = append(shown, rest[0])
	}
	for i, argument := range rest {
		name, value, joined := strings.Cut(argument, "=")
		if name != "--config" && name != "-c" {
			continue
		}
		if !joined && i+1 < len(rest) {
			value = rest[i+1]
		}
		shown = append(shown, "--config", value)
	}
	return strings.Join(shown, " ")
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

// Without returns the addresses that are not among the others.
func Without(addresses, others []netip.AddrPort) []netip.AddrPort {
	return slices.DeleteFunc(slices.Clone(addresses), func(a netip.AddrPort) bool { return slices.Contains(others, a) })
}
