package testrun_test

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// TestBrokenPortsOfAnotherProcess prints ports of a process of its own.
func TestBrokenPortsOfAnotherProcess(t *testing.T) {
	if os.Getenv(broken) == "" {
		return
	}
	for range 300 {
		fmt.Println("port", freePort(t))
	}
	t.Fail()
}

// TestFreePortsAreGivenOnce, to this process and to others, also after a server there has ended.
func TestFreePortsAreGivenOnce(t *testing.T) {
	given := map[string]bool{}
	for range 600 { // more than one block
		port := freePort(t)
		if given[port] {
			t.Fatalf("%s is given twice", port)
		}
		given[port] = true
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	for range 2 {
		n := 0
		for line := range strings.Lines(runBroken(t, "PortsOfAnotherProcess")) {
			if port, ok := strings.CutPrefix(strings.TrimSpace(line), "port "); ok {
				n++
				if given[port] {
					t.Errorf("another process was given %s", port)
				}
			}
		}
		if n != 300 {
			t.Errorf("%d ports", n)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := testrun.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(port)
}
