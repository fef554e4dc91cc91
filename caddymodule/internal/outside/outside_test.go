package outside_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/outside"
	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// TestAnErrorRepeatsNeitherTheURLNorTheAnswer, whatever a party sends.
func TestAnErrorRepeatsNeitherTheURLNorTheAnswer(t *testing.T) {
	for _, answer := range []string{strings.Repeat("VG9r", 9000), "HTTP/1.1 200 OK\r\nVG9r", "HTTP/1.1 200 OK\r\nTransfer-Encoding: VG9r"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, answer+"\r\n\r\n")
		}))
		got, err := outside.NewClient().Get(strings.Replace(server.URL, "http://", "http://user-7:word-7@", 1) + "/path-7?query-7")
		server.Close()
		if err == nil {
			_ = got.Body.Close()
			t.Fatalf("%q is an answer", answer)
		}
		if said := outside.Cause(err).Error(); strings.Contains(said, "VG9r") || strings.Contains(said, "-7") || said == "" {
			t.Errorf("%.40q: it says %.200s", answer, said)
		}
	}
}

func TestStatus(t *testing.T) {
	for code, want := range map[int]string{404: "404 Not Found", 799: "799"} {
		if got := outside.Status(code); got != want {
			t.Errorf("%d: %q", code, got)
		}
	}
}
