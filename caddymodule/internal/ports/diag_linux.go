package ports

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"os"
	"strconv"
	"syscall"
)

// The kernel's sock_diag(7), for listening sockets. /proc/net/tcp6 holds the same, but to end that
// table the kernel walks all slots for connections: on a machine with much memory that is ten
// milliseconds, at each start and each reload.

const (
	diagByFamily  = 20 // SOCK_DIAG_BY_FAMILY, linux/sock_diag.h
	requestLength = 72 // struct nlmsghdr, and struct inet_diag_req_v2 of linux/inet_diag.h
	answerLength  = 72 // struct inet_diag_msg
	tcpListen     = 10 // TCP_LISTEN, net/tcp_states.h
)

var errDiag = errors.New("sock_diag: an answer of another form")

// diagnosed returns the listening sockets of the machine, or of the container that this is. A container's
// seccomp profile may forbid it.
func diagnosed() (sockets []socket, err error) {
	conn, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, syscall.NETLINK_INET_DIAG)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	defer func() { _ = syscall.Close(conn) }()
	// The kernel answers before sendto returns. The time-out is for what stands in for a kernel.
	if err := syscall.SetsockoptTimeval(conn, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Sec: 1}); err != nil {
		return nil, os.NewSyscallError("setsockopt", err)
	}
	for _, family := range []byte{syscall.AF_INET, syscall.AF_INET6} {
		if err := syscall.Sendto(conn, diagRequest(family), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
			return nil, os.NewSyscallError("sendto", err)
		}
		if sockets, err = readDiag(conn, sockets); err != nil {
			return nil, err
		}
	}
	return sockets, nil
}

// diagRequest asks for the listening TCP sockets of a family.
func diagRequest(family byte) []byte {
	request := make([]byte, requestLength)
	binary.NativeEndian.PutUint32(request, requestLength)
	binary.NativeEndian.PutUint16(request[4:], diagByFamily)
	binary.NativeEndian.PutUint16(request[6:], syscall.NLM_F_REQUEST|syscall.NLM_F_DUMP)
	request[16], request[17] = family, syscall.IPPROTO_TCP
	binary.NativeEndian.PutUint32(request[20:], 1<<tcpListen)
	return request
}

// readDiag adds the sockets of an answer.
func readDiag(conn int, sockets []socket) ([]socket, error) {
	buffer := make([]byte, 64<<10) // the kernel sends half of it at a time
	for {
		n, _, err := syscall.Recvfrom(conn, buffer, 0)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return nil, os.NewSyscallError("recvfrom", err)
		}
		var done bool
		if sockets, done, err = addDiag(buffer[:n], sockets); done || err != nil {
			return sockets, err
		}
	}
}

// addDiag adds the sockets of a part of an answer, and reports whether it is the last one. The last one
// has the error that ended the answer: without the kernel's module tcp_diag nothing else comes.
func addDiag(part []byte, sockets []socket) (_ []socket, done bool, err error) {
	messages, err := syscall.ParseNetlinkMessage(part)
	if err != nil || len(messages) == 0 {
		return nil, false, errDiag
	}
	for _, m := range messages {
		switch {
		case m.Header.Type == syscall.NLMSG_DONE && len(m.Data) >= 4 && binary.NativeEndian.Uint32(m.Data) == 0:
			return sockets, true, nil
		case m.Header.Type != diagByFamily || len(m.Data) < answerLength:
			return nil, false, errDiag
		}
		sockets = append(sockets, diagSocket(m.Data))
	}
	return sockets, false, nil
}

func diagSocket(answer []byte) socket {
	length := 4
	if answer[0] == syscall.AF_INET6 {
		length = 16
	}
	address, _ := netip.AddrFromSlice(answer[8 : 8+length])
	return socket{
		netip.AddrPortFrom(address.Unmap(), binary.BigEndian.Uint16(answer[4:])),
		strconv.FormatUint(uint64(binary.NativeEndian.Uint32(answer[68:])), 10),
	}
}
