package caddymodule_test

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

// refusal returns the text of the admin API's error.
func (r response) refusal(t testing.TB) string {
	t.Helper()
	var body struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(r.body, &body, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("not an error of the admin API: %v: %s", err, r.body)
	}
	return body.Error
}

// response is an answer that was read whole.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (s *site) post(operation, body string) response {
	s.t.Helper()
	return s.do(s.request(context.Background(), operation, body))
}

func (s *site) request(ctx context.Context, operation, body string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/wsfev1/"+operation, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

// client opens a connection for each request, so that no test depends on how an
// idle one ends.
var client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}

func (s *site) do(r *http.Request) response {
	s.t.Helper()
	got, err := try(r)
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
		got, err = try(r)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// try sends a request; the error is that of the connection.
func try(r *http.Request) (response, error) { return tryWith(client, r) }

func tryWith(client *http.Client, r *http.Request) (response, error) {
	resp, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	return readAll(resp)
}

// readAll reads an answer to its end.
func readAll(resp *http.Response) (response, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return response{resp.StatusCode, resp.Header, body}, err
}

// codes returns the codes of an error body.
func (r response) codes(t testing.TB) []string {
	t.Helper()
	var body struct {
		Errors struct{ Err []struct{ Code, Msg string } }
	}
	if err := json.Unmarshal(r.body, &body, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("not an error body: %v: %s", err, r.body)
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

// at returns the member at a JSON pointer, as JSON.
func (r response) at(t testing.TB, pointer string) string {
	t.Helper()
	value := jsontext.Value(r.body)
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
			t.Fatalf("%s: %v: %s", pointer, err, r.body)
		}
		value = object[step]
	}
	return string(value)
}
