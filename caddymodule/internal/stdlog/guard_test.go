package stdlog_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/stdlog"
	"github.com/fielato/fielato/internal/testrun"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// lines is an output that hands on each line.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestAnAnswerTooManyIsNotQuoted: net/http itself says that there was one, and nothing of it is in the log.
func TestAnAnswerTooManyIsNotQuoted(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nCAE"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, answer+answer)
	}))
	defer server.Close()
	defer log.SetOutput(log.Writer())
	said := make(lines, 10)
	log.SetOutput(said)
	stdlog.Guard()
	stdlog.Guard()
	got, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(got.Body)
	if err != nil || string(body) != "CAE" {
		t.Errorf("%q, %v", body, err)
	}
	_ = got.Body.Close()
	if line := <-said; !strings.Contains(line, "Unsolicited response") || strings.Contains(line, "CAE") || strings.Contains(line, "200 OK") {
		t.Errorf("the log has %q", line)
	}
}

// TestOtherLinesStay as they are.
func TestOtherLinesStay(t *testing.T) {
	defer log.SetOutput(log.Writer())
	var said bytes.Buffer
	log.SetOutput(&said)
	stdlog.Guard()
	log.Print("a line")
	if !strings.HasSuffix(said.String(), "a line\n") {
		t.Errorf("%q", said.String())
	}
}
