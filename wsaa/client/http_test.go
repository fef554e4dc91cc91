package client_test

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
)

// post returns a client.Post over HTTP.
func post(by *http.Client) client.Post {
	return func(ctx context.Context, message client.Message) (client.Reply, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, message.URL, bytes.NewReader(message.Body))
		if err != nil {
			return client.Reply{}, err
		}
		request.Header.Set("Content-Type", message.ContentType)
		request.Header.Set("SOAPAction", message.Action)
		response, err := by.Do(request)
		if err != nil {
			return client.Reply{}, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, client.MaxReply+1))
		if err != nil {
			return client.Reply{}, err
		}
		reply := client.Reply{Status: response.StatusCode, Body: body}
		if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			reply.Date = date
		}
		if _, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err == nil {
			reply.Charset = parameters["charset"]
		}
		return reply, nil
	}
}

// TestALoginOverHTTP: the message passes as a request, and what the answer shows comes back. A
// redirection is followed by nobody: a request that is signed goes to one place.
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
	by := server.Client()
	by.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Post, c.URL = post(by), server.URL+wsaa.Path
	result, err := c.Login(t.Context(), "wsfe", 0)
	if err != nil || !result.Measured || result.Skew.Abs() > time.Second || result.Ticket.Token == "" {
		t.Errorf("%+v, %v", result, err)
	}
	c.URL = server.URL + "/moved"
	if result, err := c.Login(t.Context(), "wsfe", 0); err == nil || len(s.Attempts()) != 1 {
		t.Errorf("%+v after %d logins", result, len(s.Attempts()))
	}
}
