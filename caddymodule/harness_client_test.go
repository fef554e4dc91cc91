package caddymodule_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// largeQuery is a question of so many bytes, nearly all of them white space.
func largeQuery(size int) string {
	return "{" + strings.Repeat(" ", size-len(authText)-2) + authText + "}"
}

// raw is an upstream that answers with these very bytes.
func raw(answer string) http.HandlerFunc { return hangUp(answer) }

// checkErrorBody: an answer that is not a normal one has the form of docs/sources.md#contract,
// with one code, and is a whole HTTP answer.
func checkErrorBody(t *testing.T, got response, status int, code string) {
	t.Helper()
	if got.status != status {
		t.Errorf("status %d, want %d", got.status, status)
	}
	if codes := got.codes(t); len(codes) != 1 || codes[0] != code {
		t.Errorf("codes %v, want %s", codes, code)
	}
	if got.header.Get("Content-Type") != "application/json" || got.header.Get("Content-Length") != strconv.Itoa(len(got.body)) {
		t.Errorf("header %v of %d bytes", got.header, len(got.body))
	}
	if kind := got.at(t, "/Errors/Err/0/Code"); kind[0] != '"' {
		t.Errorf("Code is %s; in the error body it is a text", kind)
	}
}

// hangUp is an upstream that reads a request and closes the connection after
// having written partial.
func hangUp(partial string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffer, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = buffer.WriteString(partial)
		_ = buffer.Flush()
	}
}

// silent is an upstream that never answers, until release is closed.
func silent(release <-chan struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
}
