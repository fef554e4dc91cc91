package doctor_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func TestMain(m *testing.M) {
	caddytest.Roles["listener"] = playListener
	caddytest.Main(m)
}

// playListener is the life of a process that has a port until its input ends.
func playListener() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// listenElsewhere returns the address on which another process listens, by this name if one is
// given.
func listenElsewhere(t *testing.T, name ...string) string {
	t.Helper()
	process := caddytest.RoleProcess(t, "listener")
	if len(name) > 0 {
		process.Args[0] = name[0]
	}
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = process.Wait()
	})
	address, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}
