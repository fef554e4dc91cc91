package testrun

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
)

const (
	// firstPort and lastPort are below the ports that Linux gives to whoever asks for any (32768 to 60999): to
	// listeners on port 0, and to each connection that leaves. One of those took a port between the moment in
	// which a test found it free and the moment in which a server listened on it.
	firstPort, lastPort = 10_240, 32_767
	// blockSize is how many ports a process takes at once.
	blockSize = 256
	blocks    = (lastPort + 1 - firstPort) / blockSize
)

// ports are the ones that this process may give.
var ports struct {
	mu sync.Mutex // guards what follows
	// taken keeps the first port of each block of this process busy: no other process that runs tests takes the block.
	taken []net.Listener
	// next is the next port to give, last the last one of the block.
	next, last int
}

// FreePort returns a port on which nothing listens at any address of this machine, and never one twice. Other
// processes that run tests have other ports.
func FreePort() (int, error) {
	ports.mu.Lock()
	defer ports.mu.Unlock()
	for {
		if ports.next == ports.last {
			if err := takeBlock(); err != nil {
				return 0, err
			}
		}
		ports.next++
		if l, err := net.Listen("tcp", ":"+strconv.Itoa(ports.next)); err == nil {
			_ = l.Close()
			return ports.next, nil
		}
	}
}

// takeBlock makes the ports of a block this process's own until it ends.
func takeBlock() error {
	for i := range blocks {
		first := firstPort + (os.Getpid()+i)%blocks*blockSize
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(first)); err == nil {
			ports.taken = append(ports.taken, l)
			ports.next, ports.last = first, first+blockSize-1
			return nil
		}
	}
	return fmt.Errorf("no port is free between %d and %d", firstPort, lastPort)
}
