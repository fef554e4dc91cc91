package ports

import (
	"bufio"
	"bytes"
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

// listening returns the listening sockets of the machine, or of the container that this is.
func listening() []socket {
	if sockets, err := diagnosed(); err == nil {
		return sockets
	}
	return listed()
}

// listed returns them from the tables in /proc.
func listed() (sockets []socket) {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		file, err := os.Open(table)
		if err != nil {
			continue // a kernel without IPv6
		}
		sockets = append(sockets, listenersOf(file)...)
		_ = file.Close()
	}
	return sockets
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
	if littleEndian {
		for word := range slices.Chunk(ip, 4) {
			slices.Reverse(word)
		}
	}
	address, ok := netip.AddrFromSlice(ip)
	return netip.AddrPortFrom(address.Unmap(), uint16(number)), ok
}

// ownSockets returns the inodes of this process's sockets.
func ownSockets() map[string]bool {
	own := map[string]bool{}
	for _, inode := range socketsOf("self") {
		own[inode] = true
	}
	return own
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
