package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// patience is how long an answer is waited for.
const patience = 30 * time.Second

// connection is as little of an HTTP client as the measurement needs: the client takes
// its time from the machine on which the target runs. It opens itself when it is first
// used, and again after a failure. It is not for several goroutines at a time.
type connection struct {
	host string
	dial func(context.Context) (net.Conn, error)

	open   net.Conn // nil where it must be opened
	reader *bufio.Reader
	wire   []byte       // the request that exchange sends
	body   bytes.Buffer // of the answer
}

// connect returns a connection to an address that is not open yet.
func connect(address string) *connection {
	return &connection{host: address, dial: func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", address)
	}}
}

// answer is what came back, read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
	last   bool // the server closes the connection
}

// post sends a request in a form and returns the answer, whose body is valid until the next call.
func (c *connection) post(ctx context.Context, f *form, body []byte) (answer, error) {
	c.wire = fmt.Appendf(c.wire[:0], "POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: ", f.path, c.host, f.header)
	c.wire = append(strconv.AppendInt(c.wire, int64(len(body)), 10), "\r\n\r\n"...)
	c.wire = append(c.wire, body...)
	return c.exchange(ctx)
}

// get is post for a page.
func (c *connection) get(ctx context.Context, path string) (answer, error) {
	c.wire = fmt.Appendf(c.wire[:0], "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\n\r\n", path, c.host)
	return c.exchange(ctx)
}

// exchange sends the request in wire.
func (c *connection) exchange(ctx context.Context) (answer, error) {
	if c.open == nil {
		conn, err := c.dial(ctx)
		if err != nil {
			return answer{}, fmt.Errorf("connecting: %w", err)
		}
		c.open, c.reader = conn, bufio.NewReaderSize(conn, 64<<10)
	}
	got, err := c.exchangeOnce()
	if err != nil || got.last {
		c.close()
	}
	return got, err
}

func (c *connection) exchangeOnce() (answer, error) {
	if err := c.open.SetDeadline(time.Now().Add(patience)); err != nil {
		return answer{}, fmt.Errorf("sending: %w", err)
	}
	if _, err := c.open.Write(c.wire); err != nil {
		return answer{}, fmt.Errorf("sending: %w", err)
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return answer{}, fmt.Errorf("reading the answer: %w", err)
	}
	defer response.Body.Close()
	c.body.Reset()
	if _, err := c.body.ReadFrom(response.Body); err != nil {
		return answer{}, fmt.Errorf("reading the answer: %w", err)
	}
	return answer{response.StatusCode, response.Header, c.body.Bytes(), response.Close}, nil
}

func (c *connection) close() {
	if c.open != nil {
		_ = c.open.Close()
		c.open = nil
	}
}
