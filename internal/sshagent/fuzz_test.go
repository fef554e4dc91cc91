package sshagent_test

import (
	"crypto/ed25519"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/sshagent"
)

// FuzzAnswer has an agent answer anything to whatever it is asked: no signature is returned that is not by the key.
func FuzzAnswer(f *testing.F) {
	public, private, err := ed25519.GenerateKey(zero{})
	if err != nil {
		f.Fatal(err)
	}
	text := func(all ...string) (b []byte) {
		for _, one := range all {
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(one))), one...)
		}
		return b
	}
	blob := string(text("ssh-ed25519", string(public)))
	f.Add(append([]byte{12, 0, 0, 0, 1}, text(blob, "comment")...))
	f.Add(append([]byte{14}, text(string(text("ssh-ed25519", string(ed25519.Sign(private, message)))))...))
	f.Add(append([]byte{14}, text(string(text("ssh-ed25519", "short")))...))
	f.Add([]byte{5})
	f.Add([]byte{12, 255, 255, 255, 255})
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, answer []byte) {
		key := &sshagent.Key{Socket: filepath.Join(t.TempDir(), "s"), Fingerprint: sshagent.FingerprintOf(public), Limit: 5 * time.Second}
		l, err := net.Listen("unix", key.Socket)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				answerAll(conn, answer)
			}
		}()
		if signature, err := key.Sign(public, message); err == nil && !ed25519.Verify(public, message, signature) {
			t.Errorf("signed by nobody: %q", answer)
		}
		if found, err := key.Public(); err == nil && !key.Is(found) {
			t.Errorf("another key: %q", answer)
		}
		_ = l.Close()
		<-done
	})
}

// answerAll answers each message of a connection.
func answerAll(conn net.Conn, answer []byte) {
	defer func() { _ = conn.Close() }()
	for {
		var head [4]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[:]))); err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// zero reads zeros.
type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
