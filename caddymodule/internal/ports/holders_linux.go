package ports

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// socket is a listening TCP socket.
type socket struct {
	address netip.AddrPort
	inode   string
}

// The states of a socket as the kernel prints them.
const (
	stateSynReceived = "03" // old kernels list it behind its listener
	stateListen      = "0A"
)

// holdersOf returns the other processes that have an address. The attempt to listen there may have failed
// for another reason, such as a port that needs a privilege which Caddy gets later.
func holdersOf(a netip.AddrPort, _ error) (holders []Holder) {
	_, others := sockets()
	for _, s := range others {
		if overlap(a, s.address) {
			holders = append(holders, owner(s))
		}
	}
	return holders
}

// Shared returns the other processes that listen where this one listens too. An IPv6 listener for all
// addresses may leave IPv4 to others, so it compares the addresses of one family.
func Shared() (holders []Holder) {
	ours, others := sockets()
	for _, s := range others {
		shared := func(own socket) bool {
			return own.address.Addr().Is4() == s.address.Addr().Is4() && overlap(own.address, s.address)
		}
		if slices.ContainsFunc(ours, shared) {
			holders = append(holders, owner(s))
		}
	}
	return holders
}

// sockets returns the listening sockets of this process, and the others of the machine or container.
func sockets() (ours, others []socket) {
	own := socketsOf("self")
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		file, err := os.Open(table)
		if err != nil {
			continue // a kernel without IPv6
		}
		for _, s := range listenersOf(file) {
			if slices.Contains(own, s.inode) {
				ours = append(ours, s)
			} else {
				others = append(others, s)
			}
		}
		_ = file.Close()
	}
	return ours, others
}

// listenersOf reads one of these tables. "It will first list all listening TCP sockets, and next
// list all established TCP connections", as the kernel's documentation has it. A busy machine has
// thousands of connections and few listeners, and the kernel makes the table as it is read: the rest
// of it is left.
func listenersOf(table io.Reader) (sockets []socket) {
	lines := bufio.NewScanner(table)
	lines.Scan() // the heading
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] == stateSynReceived {
			continue
		}
		if fields[3] != stateListen {
			break
		}
		if address, ok := parseAddress(fields[1]); ok {
			sockets = append(sockets, socket{address, fields[9]})
		}
	}
	return sockets
}

// parseAddress reads an address as the kernel prints it: 32-bit words in the machine's byte order,
// and a port.
func parseAddress(text string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(text, ":")
	ip, err := hex.DecodeString(host)
	number, badPort := strconv.ParseUint(port, 16, 16)
	if err != nil || badPort != nil {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(ip, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	address, ok := netip.AddrFromSlice(ip)
	return netip.AddrPortFrom(address.Unmap(), uint16(number)), ok
}

// socketsOf returns the inodes of a process's sockets, none if they may not be read.
func socketsOf(pid string) (inodes []string) {
	folder := filepath.Join("/proc", pid, "fd")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(folder, e.Name()))
		if inode, ok := strings.CutPrefix(target, "socket:["); err == nil && ok {
			inodes = append(inodes, strings.TrimSuffix(inode, "]"))
		}
	}
	return inodes
}

// owner looks for the process that has a socket. The processes of other users may be unreadable.
func owner(s socket) Holder {
	h := Holder{Address: s.address}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return h
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !slices.Contains(socketsOf(e.Name()), s.inode) {
			continue
		}
		h.PID = pid
		if line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline")); err == nil {
			var arguments []string
			for argument := range bytes.SplitSeq(bytes.TrimSuffix(line, []byte{0}), []byte{0}) {
				arguments = append(arguments, string(argument))
			}
			h.Command = summary(arguments)
		}
		h.Folder, _ = os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		return h
	}
	return h
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
