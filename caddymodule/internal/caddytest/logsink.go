package caddytest

import (
	"io"
	"os"
	"sync"
	"testing"
)

// gatewayLog is where the gateways of this process write their logs: a test that fails shows
// its part, one that passes shows nothing.
var gatewayLog struct {
	mu   sync.Mutex // guards what follows
	file *os.File
	// showing has the tests that show their part.
	showing map[testing.TB]bool
}

// mostLog is how much of its log a test shows, in bytes: the end.
const mostLog = 32 << 10

// sinkLogs leads all that Caddy writes to os.Stderr from now on to a file. The output of the runtime, about
// a panic or a race, still goes where it did. remove removes the file.
func sinkLogs() (remove func(), err error) {
	file, err := os.CreateTemp("", "gateways-*.log")
	if err != nil {
		return nil, err
	}
	stderr := os.Stderr
	os.Stderr, gatewayLog.file, gatewayLog.showing = file, file, map[testing.TB]bool{}
	return func() {
		os.Stderr = stderr
		_ = file.Close()
		_ = os.Remove(file.Name())
	}, nil
}

// showLog has a test show the log from now on, if it fails.
func showLog(t testing.TB) {
	t.Helper()
	gatewayLog.mu.Lock()
	defer gatewayLog.mu.Unlock()
	if gatewayLog.file == nil || gatewayLog.showing[t] {
		return
	}
	begin, err := gatewayLog.file.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	gatewayLog.showing[t] = true
	t.Cleanup(func() {
		gatewayLog.mu.Lock()
		defer gatewayLog.mu.Unlock()
		delete(gatewayLog.showing, t)
		if !t.Failed() {
			return
		}
		end, _ := gatewayLog.file.Seek(0, io.SeekEnd)
		text := make([]byte, min(end-begin, mostLog))
		n, _ := gatewayLog.file.ReadAt(text, end-int64(len(text)))
		t.Logf("the log of the gateways:\n%s", text[:n])
	})
}
