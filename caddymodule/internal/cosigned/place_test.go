package cosigned_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/witness"
)

// ServeHTTP answers as C2SP's tlog-witness has it, from the repository's own witness.
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests++
	answer := p.answer
	p.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	p.serve(w, r)
}

func (p *place) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		head, signed := p.files.Head(audit.Origin(logName))
		if !signed || !strings.HasSuffix(r.URL.Path, "/"+witness.LogID(head.Origin)+"/checkpoint") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(head.Signed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	signed, err := p.own.Add(body)
	refusal, restored := refusalOf(err)
	switch {
	case err == nil:
		_, _ = w.Write(signed.Line)
	case restored:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case refusal == nil:
		p.t.Error(err)
	case refusal.Reason == witness.Conflict:
		w.Header().Set("Content-Type", "text/x.tlog.size")
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, "%d\n", refusal.Size)
	default:
		http.Error(w, refusal.Error(), map[witness.Reason]int{
			witness.Malformed: http.StatusBadRequest, witness.Untrusted: http.StatusForbidden,
			witness.Unknown: http.StatusNotFound, witness.Inconsistent: http.StatusUnprocessableEntity,
		}[refusal.Reason])
	}
}

// be has the witness answer otherwise from now on; nil is the witness itself again.
func (p *place) be(answer http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// unmonitored hides the monitoring path, which litewitness and omniwitness do not have.
func (p *place) unmonitored(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		http.NotFound(w, r)
		return
	}
	p.serve(w, r)
}

// signAt makes a cosignature without asking whether the time is one.
func signAt(secret ed25519.PrivateKey, seconds uint64, text []byte) []byte {
	message := fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", seconds, text)
	return append(binary.BigEndian.AppendUint64(nil, seconds), ed25519.Sign(secret, message)...)
}

// down answers as a proxy in front of a witness that does not run.
func (p *place) down(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "no witness here", http.StatusBadGateway)
}

// signing answers with lines by these keys, one after the other. It has no monitoring path.
func (p *place) signing(by ...note.Signer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		for _, key := range by {
			_, _ = io.WriteString(w, lineOf(p.t, body, key))
		}
	}
}

// answering answers with a status and a text. It has no monitoring path.
func (p *place) answering(status int, contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// filesOf reads the files of a folder.
func filesOf(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	files, err := filepath.Glob(folder + "/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if all[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
