package caddymodule_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// hostiles are the clients of one window, until stop.
type hostiles struct {
	t       *testing.T
	gateway *openly
	address string
	before  resources
	ctx     context.Context
	cancel  context.CancelFunc
	clients sync.WaitGroup
	http    *http.Client

	mu   sync.Mutex // guards what follows
	done map[string]int
}

func newHostiles(t *testing.T, gateway *openly) *hostiles {
	h := &hostiles{t: t, gateway: gateway, address: strings.TrimPrefix(gateway.URL, "http://"), done: map[string]int{}}
	h.before = gateway.resources()
	h.ctx, h.cancel = context.WithCancel(t.Context())
	h.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: floodClients}, Timeout: time.Minute}
	return h
}

// stop ends all of them and waits until the gateway has let go of them.
func (h *hostiles) stop() {
	h.t.Helper()
	h.cancel()
	h.clients.Wait()
	h.http.CloseIdleConnections()
	caddytest.Within(h.t, time.Minute, "the connections are gone", func() bool {
		return h.gateway.atWork().files <= h.before.files+issuers
	})
	h.t.Logf("hostile: %v", h.done)
}

func (h *hostiles) count(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done[what]++
}

// connect opens a connection, which the caller closes.
func (h *hostiles) connect() (net.Conn, bool) {
	conn, err := (&net.Dialer{}).DialContext(h.ctx, "tcp", h.address)
	if err != nil {
		h.failed("no connection", err)
		return nil, false
	}
	return conn, true
}

// slow starts clients that send a question byte by byte. It is answered in the end: when
// the window is over they send the rest at once.
func (h *hostiles) slow(n int) {
	body := caddytest.LastText(0)
	for range n {
		h.clients.Go(func() {
			for h.ctx.Err() == nil {
				if conn, ok := h.connect(); ok {
					h.trickle(conn, body)
					conn.Close()
				}
			}
		})
	}
}

func (h *hostiles) trickle(conn net.Conn, body string) {
	head := "POST /api/wsfev1/FECompUltimoAutorizado HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
	_, err := fmt.Fprintf(conn, head, h.address, len(body))
	pace := time.NewTicker(100 * time.Millisecond)
	defer pace.Stop()
	for err == nil && body != "" {
		next := 1
		select {
		case <-h.ctx.Done():
			next = len(body)
		case <-pace.C:
		}
		_, err = io.WriteString(conn, body[:next])
		body = body[next:]
	}
	var status string
	if err == nil {
		status, err = bufio.NewReader(conn).ReadString('\n')
	}
	if err != nil || !strings.HasPrefix(status, "HTTP/1.1 200") {
		h.t.Errorf("a slow client: %v %s", err, status)
		return
	}
	h.count("slow requests answered")
}

// failed is an error unless the window is over.
func (h *hostiles) failed(what string, err error) {
	if h.ctx.Err() == nil {
		h.t.Errorf("%s: %v", what, err)
	}
}

// idle opens connections, each with one request that was answered.
func (h *hostiles) idle(n int) {
	next := make(chan struct{})
	var opening sync.WaitGroup
	for range floodClients {
		opening.Go(func() {
			for range next {
				conn, ok := h.connect()
				if !ok {
					continue
				}
				context.AfterFunc(h.ctx, func() { conn.Close() })
				status, _, err := caddytest.ExchangeRaw(conn, bufio.NewReader(conn), "FEDummy", "{}")
				if err != nil || !strings.HasPrefix(status, "HTTP/1.1 200") {
					h.failed("a connection: "+status, err)
					continue
				}
				h.count("connections")
			}
		})
	}
	for range n {
		next <- struct{}{}
	}
	close(next)
	opening.Wait()
	after := h.gateway.resources()
	h.t.Logf("%d files, %.1f kB of heap and %.1f kB resident more for each connection", after.files-h.before.files,
		float64(after.heap-h.before.heap)/float64(n)/1000, float64(after.resident-h.before.resident)/float64(n)/1000)
}

// floodClients are the connections of a flood.
const floodClients = 16

// flood sends a request at each tick, as far as they are answered as fast.
func (h *hostiles) flood(every time.Duration, request func(*rand.Rand) (operation, body string, status int)) {
	tokens := make(chan struct{})
	h.clients.Go(func() {
		defer close(tokens)
		pace := time.NewTicker(every)
		defer pace.Stop()
		for {
			select {
			case <-h.ctx.Done():
				return
			case <-pace.C:
			}
			select {
			case <-h.ctx.Done():
				return
			case tokens <- struct{}{}:
			}
		}
	})
	for n := range floodClients {
		h.clients.Go(func() {
			random := rand.New(rand.NewPCG(soakSeed, uint64(n)))
			for range tokens {
				operation, body, status := request(random)
				got, err := send(h.http, h.gateway.URL+"/api/wsfev1/"+operation, body)
				if err != nil || got.Status != status {
					h.t.Errorf("%s: %v, %d %.300s, want %d", operation, err, got.Status, got.Body, status)
				}
				h.count(fmt.Sprint(operation, " ", got.Status))
			}
		})
	}
}

func (h *hostiles) malformed(every time.Duration) {
	h.flood(every, func(random *rand.Rand) (operation, body string, status int) {
		switch random.IntN(4) {
		case 0:
			return "FECAESolicitar", `{"Auth":{"Token":`, 400
		case 1:
			return "FECAESolicitar", strings.Replace(caddytest.LotText(0, 1, 1), `"CbteDesde":1`, `"CbteDesde":"1"`, 1), 400
		case 2:
			return "FECAEBorrar", caddytest.LotText(0, 1, 1), 404
		}
		return "FECAESolicitar", strings.Repeat("[", 2000), 400
	})
}

const limit = 4 << 20 // max_body by default

// atTheLimit sends the largest bodies that are read: a lot of more invoices than a lot may
// have, one member that does not compress, a question with blanks after it.
func (h *hostiles) atTheLimit(every time.Duration) {
	fill := func(text string) string { return text + strings.Repeat(" ", limit-len(text)) }
	noise := make([]byte, (limit-1000)/4*3)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	lot := fill(caddytest.LotText(0, 1, 9998)) // the most that CantReg can say
	member := fill(`{"Observ":"` + base64.StdEncoding.EncodeToString(noise) + `"}`)
	question := fill(caddytest.LastText(0))
	h.flood(every, func(random *rand.Rand) (operation, body string, status int) {
		switch random.IntN(3) {
		case 0:
			return "FECAESolicitar", lot, 200
		case 1:
			return "FECAESolicitar", member, 400
		}
		return "FECompUltimoAutorizado", question, 200
	})
}

// aboveTheLimit sends bodies that are a little larger.
func (h *hostiles) aboveTheLimit(every time.Duration) {
	body := strings.Repeat(" ", limit+1)
	h.flood(every, func(*rand.Rand) (string, string, int) { return "FECAESolicitar", body, 413 })
}
