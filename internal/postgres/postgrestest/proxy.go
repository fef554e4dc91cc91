package postgrestest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy stands between a client and a server, and cuts what lies between them.
type Proxy struct {
	listener net.Listener
	running  sync.WaitGroup
	refused  chan struct{}

	mu     sync.Mutex // guards what follows
	target string
	down   bool
	mute   bool
	// each is after how many answers a connection breaks, 0 for never; answers counts them.
	each, answers int
	open          map[net.Conn]struct{}
}

// NewProxy starts a proxy in front of an address. It ends with the test.
func NewProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{listener: listener, target: target, open: map[net.Conn]struct{}{}, refused: make(chan struct{}, 1)}
	p.running.Go(p.accept)
	tb.Cleanup(func() {
		_ = listener.Close()
		p.Down()
		p.running.Wait()
	})
	return p
}

// DSN returns the address of a cluster's database by way of the proxy.
func (p *Proxy) DSN(c *Cluster, database string) string {
	return c.dsn(p.listener.Addr().String(), database)
}

// Cut ends all connections that are open. New ones go through.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.open {
		_ = conn.Close()
	}
}

// Down cuts, and refuses new connections until Up.
func (p *Proxy) Down() {
	p.mu.Lock()
	p.down = true
	p.mu.Unlock()
	p.Cut()
}

// Refused receives when a connection was refused.
func (p *Proxy) Refused() <-chan struct{} { return p.refused }

// Up lets connections through again.
func (p *Proxy) Up() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// Mute lets what clients send through once more, and cuts instead of bringing an answer:
// the server has done what it was asked for, and the client does not know it.
func (p *Proxy) Mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = true
}

// Break has connections break all the time, until it is called with 0: instead of each n-th
// answer comes the end of the connection, and with each fifth of these the end of all. It goes
// by answers, not by time: on a slow machine as much gets through as on a quick one.
func (p *Proxy) Break(each int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.each = each
}

// breaks counts an answer, and reports what breaks with it. The caller holds the lock.
func (p *Proxy) breaks() (one, all bool) {
	if p.each == 0 {
		return false, false
	}
	p.answers++
	return p.answers%p.each == 0, p.answers%(5*p.each) == 0
}

// Write sees the server's answers on one of the connections.
func (a answers) Write(b []byte) (int, error) {
	a.proxy.mu.Lock()
	mute := a.proxy.mute
	a.proxy.mute = false
	one, all := a.proxy.breaks()
	a.proxy.mu.Unlock()
	if all {
		a.proxy.Cut()
	}
	if mute || one {
		return 0, net.ErrClosed
	}
	return a.client.Write(b)
}

type answers struct {
	proxy  *Proxy
	client net.Conn
}

// Lead leads new connections to another server, and cuts those to the old one.
func (p *Proxy) Lead(target string) {
	p.mu.Lock()
	p.target = target
	p.mu.Unlock()
	p.Cut()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.carry(client) })
	}
}

func (p *Proxy) carry(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	target, down := p.target, p.down
	p.mu.Unlock()
	if down {
		select {
		case p.refused <- struct{}{}:
		default:
		}
		return
	}
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.hold(client, server) {
		return
	}
	defer p.release(client, server)
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(answers{p, client}, server)
		_ = client.Close()
		_ = server.Close()
	}()
	_, _ = io.Copy(server, client)
	_ = server.Close()
	<-back
}

// hold registers a pair of connections, unless the line has been cut by now.
func (p *Proxy) hold(pair ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range pair {
		p.open[conn] = struct{}{}
	}
	return !p.down
}

func (p *Proxy) release(pair ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range pair {
		delete(p.open, conn)
	}
}
