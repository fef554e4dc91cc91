package caddytest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Refusal returns the text of the admin API's error.
func (r Response) Refusal(t testing.TB) string {
	t.Helper()
	var body struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(r.Body, &body, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("not an error of the admin API: %v: %s", err, r.Body)
	}
	return body.Error
}

// Response is an answer that was read whole.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Post sends an operation and returns the answer.
func (s *Site) Post(operation, body string) Response {
	s.T.Helper()
	return s.Do(s.Request(context.Background(), operation, body))
}

// Request is what Post sends.
func (s *Site) Request(ctx context.Context, operation, body string) *http.Request {
	s.T.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// Client opens a connection for each request, so that no test depends on how an
// idle one ends.
var Client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}

// Do sends a request and returns the answer. The test fails where none comes.
func (s *Site) Do(r *http.Request) Response {
	s.T.Helper()
	got, err := Try(r)
	// While it replaces a configuration, Caddy closes the old listener with the
	// connections that wait there: they were not read and are opened again.
	for range 5 {
		if err == nil || r.Body != nil && r.GetBody == nil || r.Context().Err() != nil {
			break
		}
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				break
			}
		}
		got, err = Try(r)
	}
	if err != nil {
		s.T.Fatal(err)
	}
	return got
}

// Try sends a request; an error is about the connection.
func Try(r *http.Request) (Response, error) { return TryWith(Client, r) }

// TryWith is Try with a client of the caller's.
func TryWith(client *http.Client, r *http.Request) (Response, error) {
	resp, err := client.Do(r)
	if err != nil {
		return Response{}, err
	}
	return ReadAll(resp)
}

// ReadAll reads an answer to its end.
func ReadAll(resp *http.Response) (Response, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return Response{resp.StatusCode, resp.Header, body}, err
}

// Codes returns the codes of an error body.
func (r Response) Codes(t testing.TB) []string {
	t.Helper()
	var body struct {
		Errors struct{ Err []struct{ Code, Msg string } }
	}
	if err := json.Unmarshal(r.Body, &body, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("not an error body: %v: %s", err, r.Body)
	}
	var codes []string
	for _, e := range body.Errors.Err {
		if e.Msg == "" {
			t.Errorf("code %s has no Msg", e.Code)
		}
		codes = append(codes, e.Code)
	}
	return codes
}

// At returns the member at a JSON pointer, as JSON.
func (r Response) At(t testing.TB, pointer string) string {
	t.Helper()
	value := jsontext.Value(r.Body)
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if value.Kind() == '[' {
			var list []jsontext.Value
			var i int
			if err := json.Unmarshal(value, &list); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(list) {
				return ""
			}
			value = list[i]
			continue
		}
		var object map[string]jsontext.Value
		if err := json.Unmarshal(value, &object); err != nil {
			t.Fatalf("%s: %v: %s", pointer, err, r.Body)
		}
		value = object[step]
	}
	return string(value)
}
