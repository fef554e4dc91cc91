package caddytest

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// LargeQuery is a question of so many bytes, nearly all of them white space.
func LargeQuery(size int) string {
	return "{" + strings.Repeat(" ", size-len(AuthText)-2) + AuthText + "}"
}

// RawAnswer is an upstream that answers with these very bytes.
func RawAnswer(answer string) http.HandlerFunc { return HangUp(answer) }

// CheckErrorBody: an answer that is not a normal one has the form of docs/sources.md#contract,
// with one code, and is a whole HTTP answer.
func CheckErrorBody(t *testing.T, got Response, status int, code string) {
	t.Helper()
	if got.Status != status {
		t.Errorf("status %d, want %d", got.Status, status)
	}
	if codes := got.Codes(t); len(codes) != 1 || codes[0] != code {
		t.Errorf("codes %v, want %s", codes, code)
	}
	if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Content-Length") != strconv.Itoa(len(got.Body)) {
		t.Errorf("header %v of %d bytes", got.Header, len(got.Body))
	}
	if kind := got.At(t, "/Errors/Err/0/Code"); kind[0] != '"' {
		t.Errorf("Code is %s; in the error body it is a text", kind)
	}
}

// HangUp is an upstream that reads a request and closes the connection after
// having written partial.
func HangUp(partial string) http.HandlerFunc {
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

// Silent is an upstream that never answers, until release is closed.
func Silent(release <-chan struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
}
