package exchange

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/caddymodule/internal/record"
)

// A stray is a request for a path that has nothing to do with the interface, such as a scanner's
// for /wp-login.php. It is answered, counted and logged like any other. The trail gets one of a
// client per strayPause: it is signed and kept for years, and anybody can send them.
const (
	strayPause = time.Minute
	// maxStrayClients bounds the memory for clients. All others count as one.
	maxStrayClients = 4096
)

// strays remembers of which clients a stray was recorded.
type strays struct {
	mu      sync.Mutex // guards clients
	clients map[netip.Prefix]*strayClient
}

// strayClient is one client, or one network of IPv6: a client there has as many addresses as it
// likes.
type strayClient struct {
	recorded time.Time // when its last stray was recorded
	skipped  int       // how many have come since
}

// take reports whether a client's stray is to be recorded now, and how many were not since the
// last one.
func (s *strays) take(address string, now time.Time) (record bool, skipped int) {
	network := networkOf(address)
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.clients[network]
	if client == nil && len(s.clients) >= maxStrayClients {
		s.drop(now)
		if len(s.clients) >= maxStrayClients {
			network = netip.Prefix{}
			client = s.clients[network]
		}
	}
	switch {
	case client == nil:
		if s.clients == nil {
			s.clients = map[netip.Prefix]*strayClient{}
		}
		s.clients[network] = &strayClient{recorded: now}
		return true, 0
	case now.Sub(client.recorded) < strayPause:
		client.skipped++
		return false, 0
	}
	skipped = client.skipped
	*client = strayClient{recorded: now}
	return true, skipped
}

// drop forgets clients that have sent nothing unrecorded, and whose next stray is recorded anyway.
func (s *strays) drop(now time.Time) {
	for network, client := range s.clients {
		if now.Sub(client.recorded) >= strayPause {
			delete(s.clients, network)
		}
	}
}

// networkOf returns the network of the client's address: itself, or its /64 for IPv6; zero if it
// is no address.
func networkOf(address string) netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	ip = ip.Unmap().WithZone("")
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	network, _ := ip.Prefix(bits)
	return network
}

// isStray reports whether the path has nothing to do with the interface, in whatever form it may
// be read.
func isStray(f *record.Facts, r *http.Request) bool {
	if f.Decision.Operation != nil {
		return false
	}
	path := binding.PercentDecoded(r.URL.EscapedPath())
	return !strings.Contains(strings.ToLower(path), "wsfev1") && !binding.NamesOperation(path, nil)
}

// skipsStray logs a stray, and reports whether it stays out of the trail.
func (way *Way) skipsStray(f *record.Facts, r *http.Request) bool {
	if !isStray(f, r) {
		return false
	}
	kept, skipped := way.strays.take(f.Client.Address, f.Started)
	way.StrayLog.Info("request for a path outside the interface", zap.String("method", intake.RecordedMethod(r, f.Redactor)),
		zap.String("path", intake.RecordedPath(r, f.Redactor)), zap.String("client", f.Client.Address), zap.Bool("recorded", kept))
	if refusal := f.Result.Refusal; kept && skipped > 0 && refusal != nil {
		refusal.Detail = fmt.Errorf("%w; since its last record %d more of this client were not recorded", refusal.Detail, skipped)
	}
	return !kept
}

// StrayLogger returns a logger that a scanner cannot fill the disk with: ten lines of a second, and
// then each hundredth.
func StrayLogger(logger *zap.Logger) *zap.Logger {
	return logger.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(core, time.Second, 10, 100)
	}))
}
