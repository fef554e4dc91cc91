package caddymodule_test

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// shrinkQueue makes a listener that never accepts refuse to complete any further
// connection, by shrinking its queue and filling it.
func shrinkQueue(t *testing.T, l *net.TCPListener) {
	t.Helper()
	raw, err := l.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var listenErr error
	if err := raw.Control(func(fd uintptr) { listenErr = syscall.Listen(int(fd), 0) }); err != nil {
		t.Fatal(err)
	}
	if listenErr != nil {
		t.Fatal(listenErr)
	}
	for range 8 {
		conn, err := net.DialTimeout("tcp", l.Addr().String(), 100*time.Millisecond)
		if err != nil {
			return // full
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Fatal("the queue never filled")
}
