package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/client/overhttp"
)

// TestALoginOverHTTP: the message passes as a request, and the result has the answer's ticket and time.
// A redirection is followed by nobody: a request that is signed goes to one place.
func TestALoginOverHTTP(t *testing.T) {
	s, c := newClient(t, 0)
	service := http.NewServeMux()
	service.HandleFunc("POST "+wsaa.Path, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("SOAPAction") != `""` {
			t.Errorf("%v, action %q", err, r.Header.Get("SOAPAction"))
		}
		reply, err := s.Post(r.Context(), client.Message{Body: body})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", wsaa.SOAP11.ContentType())
		w.Header().Set("Date", reply.Date.Format(http.TimeFormat))
		w.WriteHeader(reply.Status)
		w.Write(reply.Body)
	})
	service.Handle("POST /moved", http.RedirectHandler(wsaa.Path, http.StatusTemporaryRedirect))
	server := httptest.NewServer(service)
	defer server.Close()
	c.Post, c.URL = overhttp.Post(server.Client()), server.URL+wsaa.Path
	result, err := c.Login(t.Context(), "wsfe", 0)
	if err != nil || !result.Measured || result.Skew.Abs() > time.Second || result.Ticket.Token == "" {
		t.Errorf("%+v, %v", result, err)
	}
	c.URL = server.URL + "/moved"
	if result, err := c.Login(t.Context(), "wsfe", 0); err == nil || len(s.Attempts()) != 1 {
		t.Errorf("%+v after %d logins", result, len(s.Attempts()))
	}
}

// TestABrokenAnswerWithATicketIsNotQuoted: net/http quotes what it cannot read.
func TestABrokenAnswerWithATicketIsNotQuoted(t *testing.T) {
	s, c := newClient(t, 0)
	for name, begin := range map[string]string{
		"no head": "", "no empty line": "HTTP/1.1 200 OK\r\n", "a length": "HTTP/1.1 200 OK\r\nContent-Length: ", "a coding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: ",
		"a place": "HTTP/1.1 302 Found\r\nLocation: http://[",
	} {
		var token string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			reply, err := s.Post(r.Context(), client.Message{Body: body})
			if err != nil {
				t.Error(err)
			}
			_, token, _ = strings.Cut(string(reply.Body), "&lt;token&gt;")
			token, _, _ = strings.Cut(token, "&lt;")
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, begin+strings.ReplaceAll(string(reply.Body), "\n", "")+"\r\n\r\n")
		}))
		c.Post, c.URL = overhttp.Post(server.Client()), server.URL+wsaa.Path
		_, err := c.Login(t.Context(), "wsfe", 0)
		server.Close()
		if err == nil || token == "" || strings.Contains(err.Error(), token[:60]) || !strings.Contains(err.Error(), server.URL+wsaa.Path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
