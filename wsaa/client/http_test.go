package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
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
