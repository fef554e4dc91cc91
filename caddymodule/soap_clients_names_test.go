package caddymodule_test

import (
	"crypto/x509/pkix"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// authorityHosts are the servers of the real service; authorityClock tells the time, which some
// programs ask before they sign.
var authorityHosts = []string{"wswhomo.afip.gov.ar", "servicios1.afip.gov.ar", "wsaahomo.afip.gov.ar", "wsaa.afip.gov.ar"}

const authorityClock = "time.afip.gov.ar"

// authorityNames leads programs that have the authority's addresses built in to this machine: by a
// hosts file that they alone see, and a certificate of an authority of the test's.
type authorityNames struct {
	certificate, key string // files, of the server
	authority        string // file
	hosts            string // file
}

// newAuthorityNames returns an error where the process may not do that: it takes the right to mount,
// and that to listen on ports 443 and 123.
func newAuthorityNames(t *testing.T) (*authorityNames, error) {
	t.Helper()
	if caddytest.Loopback == "127.0.0.1" {
		return nil, errors.New("the process has no address of its own on the loopback")
	}
	n := &authorityNames{hosts: filepath.Join(t.TempDir(), "hosts")}
	text := "127.0.0.1 localhost\n"
	for _, name := range append([]string{authorityClock}, authorityHosts...) {
		text += caddytest.Loopback + " " + name + "\n"
	}
	if err := os.WriteFile(n.hosts, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	try := n.command([]string{"true"})
	if out, err := exec.CommandContext(t.Context(), try[0], try[1:]...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("a hosts file of its own: %w: %s", err, out)
	}
	listener, err := net.Listen("tcp", caddytest.Loopback+":443")
	if err != nil {
		return nil, err
	}
	_ = listener.Close()
	if err := tellTime(t); err != nil {
		return nil, err
	}
	authority := caddytest.NewEdgeAuthority(t)
	n.authority = authority.File(t)
	n.certificate, n.key = authority.Certify(t, pkix.Name{CommonName: authorityHosts[0]}, authorityHosts...).Files(t)
	return n, nil
}

// site is the part of a Caddyfile that answers at the authority's names.
func (n *authorityNames) site(content string) string {
	return fmt.Sprintf("https://%s {\n\ttls %s %s\n\t%s\n}\n", strings.Join(authorityHosts, ", https://"), n.certificate, n.key, content)
}

// command runs a command that sees the hosts file in place of the system's.
func (n *authorityNames) command(command []string) []string {
	return append([]string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, n.hosts}, command...)
}

// tellTime answers who asks for the time (NTP) until the test ends.
func tellTime(t *testing.T) error {
	t.Helper()
	conn, err := net.ListenPacket("udp", caddytest.Loopback+":123")
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		packet := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return // closed
			}
			if n >= 48 {
				_, _ = conn.WriteTo(timeAnswer(packet[:n], time.Now()), from)
			}
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-ended
	})
	return nil
}

// timeAnswer is the answer of a server with a clock of its own (RFC 5905).
func timeAnswer(question []byte, now time.Time) []byte {
	const (
		server4  = 4<<3 | 4 // version 4, server
		stratum1 = 1
		since    = 2_208_988_800 // seconds from 1900 to 1970
	)
	stamp := uint64(now.Unix()+since)<<32 | uint64(now.Nanosecond())<<32/1_000_000_000
	answer := make([]byte, 48)
	answer[0], answer[1], answer[2], answer[3] = server4, stratum1, 4, 0xec // polls each 16 s; precision 2^-20 s
	copy(answer[12:], "LOCL")
	binary.BigEndian.PutUint64(answer[16:], stamp) // last set
	copy(answer[24:32], question[40:48])           // when it was asked, by the client's clock
	binary.BigEndian.PutUint64(answer[32:], stamp)
	binary.BigEndian.PutUint64(answer[40:], stamp)
	return answer
}
