package gateway_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// framed is a client of HTTP/2 that sends what frames it likes.
type framed struct {
	*http2.Framer
	t    *testing.T
	host string
}

// frames opens a connection, which ends with the test, and says what settings the client has.
func frames(t *testing.T, s *caddytest.Site, settings ...http2.Setting) *framed {
	t.Helper()
	host := strings.TrimPrefix(s.URL, "http://")
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	f := &framed{http2.NewFramer(conn, conn), t, host}
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.must(f.WriteSettings(settings...))
	return f
}

func (f *framed) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// head is the head of a request, with more fields in it.
func (f *framed) head(operation string, fields ...hpack.HeaderField) []byte {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range append([]hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: "http"},
		{Name: ":authority", Value: f.host},
		{Name: ":path", Value: "/api/wsfev1/" + operation},
		{Name: "content-type", Value: "application/json"},
	}, fields...) {
		_ = encoder.WriteField(field) // to memory
	}
	return block.Bytes()
}

// send sends a request on a stream.
func (f *framed) send(stream uint32, operation, body string, fields ...hpack.HeaderField) {
	f.t.Helper()
	f.must(f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: f.head(operation, fields...), EndHeaders: true}))
	f.must(f.WriteData(stream, true, []byte(body)))
}

// answer reads until the head of the final answer on a stream.
func (f *framed) answer(stream uint32) (status string) {
	f.t.Helper()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			f.t.Fatalf("stream %d has no answer: %v", stream, err)
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			if status = frame.PseudoValue("status"); frame.StreamID == stream && status != "100" {
				return status
			}
		case *http2.RSTStreamFrame:
			if frame.StreamID == stream {
				return frame.ErrCode.String()
			}
		case *http2.GoAwayFrame:
			return frame.ErrCode.String()
		}
	}
}

// TestHTTP2ClientsThatNeverReadHoldNothing: their window is closed, so that their answers never
// arrive. Others of the series go on, and so do those who need the only place at the service.
func TestHTTP2ClientsThatNeverReadHoldNothing(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s := startHTTP2(t, caddytest.ProxyTo(upstream.URL), append(caddytest.Exactly, "in_flight issuing 1", "max_bodies 1MiB")...)
	f := frames(t, s, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	const streams = 50
	for n := range streams {
		f.send(uint32(2*n+1), "FECAESolicitar", caddytest.Invoice(n+1))
		if status := f.answer(uint32(2*n + 1)); status != "200" {
			t.Fatalf("invoice %d: %s", n+1, status)
		}
	}
	client := http2Client(t, nil)
	for n := 1; n <= streams+1; n++ {
		got, err := over(s, t.Context(), client, "FECAESolicitar", caddytest.Invoice(n))
		if err != nil || string(got.Body) != caddytest.ApprovalOf(n) || upstream.TimesAsked(n) != 1 {
			t.Errorf("invoice %d: %v %d %s", n, err, got.Status, got.Body)
		}
	}
	for _, gauge := range []string{`wsfev1_in_flight{family="issuing"}`, "wsfev1_audit_open_intents"} {
		if value := s.Metric(gauge); value != "0" && value != "" {
			t.Errorf("%s is %s", gauge, value)
		}
	}
}

// TestHTTP2Frames: what frames can look like, and what becomes of it.
func TestHTTP2Frames(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s := startHTTP2(t, caddytest.ProxyTo(upstream.URL), caddytest.Exactly...)
	t.Run("a head in pieces, Expect and trailers", func(t *testing.T) {
		f := frames(t, s)
		head := f.head("FECAESolicitar", hpack.HeaderField{Name: "expect", Value: "100-continue"}, hpack.HeaderField{Name: "trailer", Value: "x-more"})
		f.must(f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head[:7]}))
		for _, piece := range [][]byte{head[7:20], {}, head[20:]} {
			f.must(f.WriteContinuation(1, len(piece) == len(head)-20, piece))
		}
		f.must(f.WriteData(1, false, []byte(caddytest.Invoice(1))))
		var trailer bytes.Buffer
		_ = hpack.NewEncoder(&trailer).WriteField(hpack.HeaderField{Name: "x-more", Value: "1"})
		f.must(f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: trailer.Bytes(), EndHeaders: true, EndStream: true}))
		if status := f.answer(1); status != "200" || upstream.TimesAsked(1) != 1 {
			t.Errorf("%s, sent %d times", status, upstream.TimesAsked(1))
		}
	})
	t.Run("a head that is too long", func(t *testing.T) {
		f := frames(t, s)
		long := strings.Repeat("x", 15_000)
		head := f.head("FECAESolicitar")
		for n := range 100 {
			var more bytes.Buffer
			_ = hpack.NewEncoder(&more).WriteField(hpack.HeaderField{Name: fmt.Sprintf("x-%d", n), Value: long, Sensitive: true})
			head = append(head, more.Bytes()...)
		}
		f.must(f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head[:16_000]}))
		for rest := head[16_000:]; len(rest) > 0; {
			n := min(len(rest), 16_000)
			if f.WriteContinuation(1, n == len(rest), rest[:n]) != nil {
				break // it has enough of it
			}
			rest = rest[n:]
		}
		if status := f.answer(1); status == "200" {
			t.Errorf("%s", status)
		}
	})
	t.Run("less than the length says", func(t *testing.T) {
		f := frames(t, s)
		f.send(1, "FECAESolicitar", caddytest.Invoice(2)[:300], hpack.HeaderField{Name: "content-length", Value: fmt.Sprint(len(caddytest.Invoice(2)))})
		if status := f.answer(1); status == "200" || upstream.TimesAsked(2) != 0 {
			t.Errorf("%s, sent %d times", status, upstream.TimesAsked(2))
		}
	})
	client := http2Client(t, nil)
	if got, err := over(s, t.Context(), client, "FECAESolicitar", caddytest.Invoice(2)); err != nil || got.Status != http.StatusOK {
		t.Errorf("afterwards: %v %d %s", err, got.Status, got.Body)
	}
	stopCaddy(t, client)
}
