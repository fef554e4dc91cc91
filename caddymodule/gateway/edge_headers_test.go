package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTrailersOfARequestAreNotForwarded, announced or not: nobody has judged them.
func TestTrailersOfARequestAreNotForwarded(t *testing.T) {
	m := newManyReaders(t)
	s := caddytest.Start(t, caddytest.ProxyTo(m.URL))
	for _, announced := range []string{"", "Trailer: X-Op\r\n", "Trailer: X-Op, Wsfev1-Record, Content-Digest\r\nTE: trailers\r\n"} {
		m.forget()
		conn, reader := connect(t, s)
		sendRaw(t, conn, "FECAEAConsultar", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"+announced)
		_, err := fmt.Fprintf(conn, "%x\r\n%s\r\n0\r\nX-Op: FECAEASolicitar\r\nWsfev1-Record: x/1\r\nContent-Digest: x\r\n\r\n", len(caeaBody), caeaBody)
		if err != nil {
			t.Fatal(err)
		}
		if got := readRaw(t, reader); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		seen, head := m.noted()
		if head.Trailer != nil || head.Header.Get("Trailer") != "" || head.Header.Get("Te") != "" || head.ContentLength != int64(len(caeaBody)) {
			t.Errorf("%q: the service got %v and the trailers %v, %d bytes", announced, head.Header, head.Trailer, head.ContentLength)
		}
		if reader := seen["FECAEASolicitar"]; reader != "" {
			t.Errorf("who reads %s carries out FECAEASolicitar", reader)
		}
	}
}

// TestEveryLineOfAHeaderIsLookedAt, not the first alone.
func TestEveryLineOfAHeaderIsLookedAt(t *testing.T) {
	const media = "Content-Type: application/json\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len(caddytest.Invoice(1)))
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	for _, refused := range []struct {
		header string
		status int
		code   string
	}{
		{media + length + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n", 415, "http.content_coding"},
		{media + length + "content-encoding:\r\nContent-Encoding: gzip\r\n", 415, "http.content_coding"},
		{media + length + "Content-Encoding: identity, br\r\n", 415, "http.content_coding"},
		{media + length + "Content-Encoding: identity\r\nContent-Encoding: identity, ,Identity\r\nContent-Encoding: x\r\n", 415, "http.content_coding"},
		{media + media + length, 415, "http.media_type"},
		{media + length + "Content-Type: text/xml\r\n", 415, "http.media_type"},
		{length + "Content-Type: application/json, text/xml\r\n", 415, "http.media_type"},
		{media + length + "Idempotency-Key: a\r\nIdempotency-Key: b\r\n", 400, "once.idempotency_key"},
		{media + length + "idempotency-key:\r\nIdempotency-Key: b\r\n", 400, "once.idempotency_key"},
		{media + length + "idempotency-key: a\r\nIDEMPOTENCY-KEY: a\r\n", 400, "once.idempotency_key"},
		{media + length + "Content-Length: 7\r\n", 400, ""}, // by the server
		{media + length + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 501, ""},
		{media + length + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 501, ""},
	} {
		conn, reader := connect(t, s)
		sendRaw(t, conn, "FECAESolicitar", refused.header)
		if refused.code != "" { // the server refuses the others unread, and a reset may overtake its answer
			_, _ = io.WriteString(conn, caddytest.Invoice(1))
		}
		got := readRaw(t, reader)
		if got.Status != refused.status && (refused.code != "" || got.Status != 400) {
			t.Errorf("%q: %d %s", refused.header, got.Status, got.Body)
		}
		if refused.code != "" && got.Codes(t)[0] != refused.code {
			t.Errorf("%q: %s", refused.header, got.Body)
		}
		conn.Close()
	}
	if n := upstream.Hits.Load(); n != 0 {
		t.Errorf("%d requests reached the service", n)
	}
	conn, reader := connect(t, s)
	sendRaw(t, conn, "FECAESolicitar", media+length+"Content-Encoding: identity\r\nContent-Encoding: Identity,\r\nIdempotency-Key:\r\n")
	_, _ = io.WriteString(conn, caddytest.Invoice(1))
	if got := readRaw(t, reader); got.Status != 200 {
		t.Errorf("no coding at all: %d %s", got.Status, got.Body)
	}
	if _, header := upstream.Last(); header.Get("Content-Encoding") != "" {
		t.Errorf("the service got %v", header)
	}
}

// TestWhoAsksInASecondLineIsRefusedAtOnce too: it sends no body before it is told to.
func TestWhoAsksInASecondLineIsRefusedAtOnce(t *testing.T) {
	s := caddytest.Start(t, "respond ok")
	conn, reader := connect(t, s)
	sendRaw(t, conn, "FECAESolicitar", "Content-Type: application/json\r\nContent-Length: 5000000\r\nexpect:\r\nExpect: 100-continue\r\n")
	if got := readRaw(t, reader); got.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
}

// sized is an answer with a header, and its length.
func sized(header, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

// TestWhatTheClientGetsOfAnAnswersHeader.
func TestWhatTheClientGetsOfAnAnswersHeader(t *testing.T) {
	const media = "Content-Type: application/json\r\n"
	const page = "<html>"
	zipped := "\x1f\x8b\x08 not JSON"
	chunked := "HTTP/1.1 200 OK\r\n" + media + "Transfer-Encoding: chunked\r\n%s\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n", len(caddytest.Approval), caddytest.Approval)
	for name, answer := range map[string]headedAnswer{
		"trailers that are announced": {
			raw:    fmt.Sprintf(chunked, "Trailer: X-Late, Wsfev1-Record\r\n") + "X-Late: 1\r\nWsfev1-Record: x/9\r\n\r\n",
			absent: []string{"X-Late", "Trailer"},
		},
		"trailers that are not": {
			raw:    fmt.Sprintf(chunked, "") + "X-Late: 1\r\nWsfev1-Record: x/9\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\n\r\n",
			absent: []string{"X-Late", "Trailer:X-Late", "Set-Cookie"}, header: map[string][]string{"Content-Type": {"application/json"}},
		},
		"headers of a gateway, in all spellings": {
			raw:    sized(media+"wsfev1-record: x/9\r\nWSFEV1-OUTCOME: inner\r\nWsfev1_Record: x/9\r\nWsfev1-Unrecorded: lost\r\nwsfev1-more: 1\r\nWsfev1.Outcome: x\r\n", caddytest.Approval),
			absent: []string{"Wsfev1_record", "Wsfev1-Unrecorded", "Wsfev1-More", "Wsfev1.outcome"},
		},
		"1xx": {
			raw:    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\nWsfev1-Record: x/9\r\n\r\n" + sized(media, caddytest.Approval),
			absent: []string{"Link"},
		},
		"what is about the connection": {
			raw:    sized(media+"Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Connection: close\r\nUpgrade: h2c\r\nTE: trailers\r\n", caddytest.Approval),
			absent: []string{"X-Hop", "Keep-Alive", "Proxy-Connection", "Upgrade", "Te"},
		},
		"a cookie":                 {raw: sized(media+"Set-Cookie: a=b\r\nSet-Cookie: c=d\r\n", caddytest.Approval), header: map[string][]string{"Set-Cookie": {"a=b", "c=d"}}},
		"headers of its own":       {raw: sized(media+"X-Node: 7\r\nX-Node: 8\r\n", caddytest.Approval), header: map[string][]string{"X-Node": {"7", "8"}}},
		"several media types":      {raw: sized("Content-Type: text/html\r\n"+media, caddytest.Approval), header: map[string][]string{"Content-Type": {"application/json"}}},
		"several, of a page":       {raw: sized("Content-Type: text/html\r\n"+media, page), header: map[string][]string{"Content-Type": {"text/html"}}},
		"the length twice":         {raw: sized(media+fmt.Sprintf("Content-Length: %d\r\n", len(caddytest.Approval)), caddytest.Approval), header: map[string][]string{"Content-Length": {fmt.Sprint(len(caddytest.Approval))}}},
		"a coding that is none":    {raw: sized(media+"Content-Encoding: br\r\nContent-Encoding: zstd\r\n", caddytest.Approval), absent: []string{"Content-Encoding"}},
		"the coding identity":      {raw: sized(media+"Content-Encoding: identity\r\n", page), absent: []string{"Content-Encoding"}},
		"a coding nobody wanted":   {raw: sized(media+"Content-Encoding: br\r\n", zipped), header: map[string][]string{"Content-Encoding": {"br"}}},
		"another file to be given": {raw: sized(media+"X-Accel-Redirect: /etc/x\r\nX-Sendfile: /etc/x\r\nX-Accel-Buffering: no\r\nX-Reproxy-URL: http://x\r\n", caddytest.Approval), absent: []string{"X-Accel-Redirect", "X-Sendfile", "X-Accel-Buffering", "X-Reproxy-Url"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.RawAnswer(answer.raw)).URL))
			conn, reader := connect(t, s)
			sendRaw(t, conn, "FECAESolicitar", fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\nTE: trailers\r\n", len(caddytest.Invoice(1))))
			if _, err := io.WriteString(conn, caddytest.Invoice(1)); err != nil {
				t.Fatal(err)
			}
			answer.check(t, s, reader)
		})
	}
}

// headedAnswer is an answer of the service, with the headers that the client must and must not get.
type headedAnswer struct {
	raw    string
	absent []string
	header map[string][]string
}

// check reads an answer, which has the address of its record and no trailers.
func (a headedAnswer) check(t *testing.T, s *caddytest.Site, reader *bufio.Reader) {
	t.Helper()
	got, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if _, err := io.Copy(io.Discard, got.Body); err != nil {
		t.Fatal(err)
	}
	last := s.Last()
	if record := got.Header["Wsfev1-Record"]; got.StatusCode != http.StatusOK || len(record) != 1 || record[0] != fmt.Sprintf("%s/%d", last.Log, last.Index) ||
		len(got.Header["Wsfev1-Outcome"]) != 1 || got.Header.Get("Wsfev1-Outcome") != string(last.Outcome) {
		t.Errorf("%d %v, the record is %s/%d, %s", got.StatusCode, got.Header, last.Log, last.Index, last.Outcome)
	}
	if len(got.Trailer) > 0 || len(got.TransferEncoding) > 0 {
		t.Errorf("the trailers %v, %v", got.Trailer, got.TransferEncoding)
	}
	for _, name := range a.absent {
		if values := got.Header[name]; values != nil {
			t.Errorf("the client got %s: %q", name, values)
		}
	}
	for name, want := range a.header {
		if values := got.Header[name]; !slices.Equal(values, want) {
			t.Errorf("the client got %s: %q, want %q", name, values, want)
		}
	}
}

// TestAnswerWithTwoLengthsIsNone: Go's transport takes none of them.
func TestAnswerWithTwoLengthsIsNone(t *testing.T) {
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.RawAnswer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef")).URL))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 504 || s.Last().Certainty != "unknown" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// TestAnswerThatWantsAnotherProtocolIsNone: the gateway asks for no upgrade.
func TestAnswerThatWantsAnotherProtocolIsNone(t *testing.T) {
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.RawAnswer("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nWsfev1-Record: x/9\r\n\r\n"+strings.Repeat("x", 64))).URL))
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if last := s.Last(); got.Status != 504 || last.Certainty != "unknown" || got.Header.Get("Upgrade") != "" || got.Header.Get("Wsfev1-Record") == "x/9" {
		t.Errorf("%d %v %s, recorded %s", got.Status, got.Header, got.Body, last.Certainty)
	}
}

// TestRepeatsGetNoHeaderOfTheFirst: a cookie is for the client that was given it.
func TestRepeatsGetNoHeaderOfTheFirst(t *testing.T) {
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.RawAnswer(sized("Content-Type: application/json; charset=utf-8\r\nSet-Cookie: a=b\r\nX-Node: 7\r\n", caddytest.Approval))).URL), "replay on")
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Set-Cookie") != "a=b" {
		t.Fatalf("%d %v", got.Status, got.Header)
	}
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got.Header.Get("Wsfev1-Outcome") != "replayed" || got.Header.Get("Set-Cookie") != "" || got.Header.Get("X-Node") != "" ||
		got.Header.Get("Content-Type") != "application/json" || string(got.Body) != caddytest.Approval {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
}
