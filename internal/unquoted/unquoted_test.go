package unquoted_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/unquoted"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// TestNothingOfABrokenAnswerIsInItsError, whatever is wrong with it, and the error stays what it is.
func TestNothingOfABrokenAnswerIsInItsError(t *testing.T) {
	const secret = `VG9r<ZW4 "x" =`
	for _, answer := range []string{
		secret, "HTTP/1.1 " + secret, "HTTP/" + secret + " 200 OK", "HTTP/1.1 200 OK\r\n" + secret, "HTTP/1.1 200 OK\r\n " + secret,
		"HTTP/1.1 200 OK\r\n(" + secret + "): x", "HTTP/1.1 200 OK\r\nContent-Length: " + secret, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: " + secret,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + secret, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: " + secret,
		"HTTP/1.1 302 Found\r\nLocation: http://[" + secret, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + secret,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, answer+"\r\n\r\n")
		}))
		got, err := server.Client().Get(server.URL)
		if err == nil {
			_, err = io.ReadAll(got.Body)
			_ = got.Body.Close()
		}
		server.Close()
		kept := unquoted.Of(fmt.Errorf("asking: %w", err))
		if err == nil || strings.Contains(kept.Error(), "VG9r") || !strings.HasPrefix(kept.Error(), "asking: ") || !errors.Is(kept, err) {
			t.Errorf("%q: %v has become %v", answer, err, kept)
		}
	}
}

// TestOtherErrorsStay as they are.
func TestOtherErrorsStay(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New(`a "quote"`)}
	if kept := unquoted.Of(refused); kept.Error() != refused.Error() || !errors.Is(kept, refused) || unquoted.Of(nil) != nil {
		t.Error("another error was changed")
	}
}
