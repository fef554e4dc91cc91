package timestamp_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/timestamp"
	"github.com/fielato/fielato/internal/timestamp/tsatest"
)

var document = []byte("fielato/gw-1\n2\nPtrcDS6lmH0XcV3MaqLkJb6ZWSOR8EQDngoTNDF2k/A=\n")

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// trusting returns whoever trusts the roots in a PEM file.
func trusting(t *testing.T, roots, policy string) *timestamp.Authority {
	t.Helper()
	a := &timestamp.Authority{Roots: x509.NewCertPool()}
	if !a.Roots.AppendCertsFromPEM(must(os.ReadFile(roots))) {
		t.Fatal("no roots")
	}
	if policy != "" {
		a.Policy = must(timestamp.ParsePolicy(policy))
	}
	return a
}

// TestOpenSSLStamps: a query that openssl reads, and an answer of openssl that we read, with both kinds of keys.
func TestOpenSSLStamps(t *testing.T) {
	for _, kind := range []tsatest.Kind{tsatest.P256, tsatest.RSA} {
		for _, policy := range []string{"", tsatest.OtherPolicy} {
			tsa := tsatest.New(t, kind, "Sello de prueba")
			of := trusting(t, tsa.Roots, policy)
			query := must(of.Query(document, rand.Reader))
			before := time.Now().Truncate(time.Second)
			reply := tsa.Reply(query.DER)
			stamp, err := of.Accept(reply, query, time.Now())
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if stamp.Time.Before(before) || stamp.Time.After(time.Now()) || stamp.Authority != "Sello de prueba" || stamp.Serial.Int64() != 2 ||
				stamp.Accuracy != 1500*time.Millisecond+100*time.Microsecond {
				t.Errorf("%s: %+v", kind, stamp)
			}
			if want := max(policy, tsatest.Policy); stamp.Policy.String() != want {
				t.Errorf("%s: the policy is %s, not %s", kind, stamp.Policy, want)
			}
			kept := must(of.Open(reply, document))
			looked := must(timestamp.Look(reply, document))
			if !kept.Time.Equal(stamp.Time) || !looked.Time.Equal(stamp.Time) {
				t.Errorf("%s: %v, %v", kind, kept.Time, looked.Time)
			}
			verifyByOpenSSL(t, reply, tsa.Roots)
		}
	}
}

// verifyByOpenSSL does what a stranger does.
func verifyByOpenSSL(t *testing.T, reply []byte, roots string) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string][]byte{"document": document, "reply.tsr": reply} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := tsatest.OpenSSL(t, folder, "ts", "-verify", "-data", "document", "-in", "reply.tsr", "-CAfile", roots); !strings.Contains(out, "Verification: OK") {
		t.Error(out)
	}
}

// TestAnotherDocumentPolicyRootAndQuery are refused, each in an answer of openssl that is right in all else.
func TestAnotherDocumentPolicyRootAndQuery(t *testing.T) {
	tsa, other := tsatest.New(t, tsatest.P256, "Sello de prueba"), tsatest.New(t, tsatest.P256, "Sello de prueba")
	of := trusting(t, tsa.Roots, "")
	query, second := must(of.Query(document, rand.Reader)), must(of.Query(document, rand.Reader))
	if bytes.Equal(query.DER, second.DER) {
		t.Fatal("two queries have one nonce")
	}
	reply, now := tsa.Reply(query.DER), time.Now()
	refused := func(says string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	try := func(a *timestamp.Authority, q *timestamp.Query, now time.Time) error {
		_, err := a.Accept(reply, q, now)
		return err
	}
	if err := try(of, query, now); err != nil {
		t.Fatal(err)
	}
	refused("another query", try(of, second, now))
	refused("another document", try(of, must(of.Query(document[1:], rand.Reader)), now))
	refused("under the policy", try(trusting(t, tsa.Roots, tsatest.OtherPolicy), query, now))
	refused("does not lead to one of the roots", try(trusting(t, other.Roots, ""), query, now))
	t.Setenv("SSL_CERT_FILE", tsa.Roots) // the system's roots, which do not count
	refused("does not lead to one of the roots", try(&timestamp.Authority{}, query, now))
	refused("one of them is wrong", try(of, query, now.Add(6*time.Minute)))
	refused("one of them is wrong", try(of, query, now.Add(-6*time.Minute)))
	if err := try(of, query, now.Add(4*time.Minute)); err != nil {
		t.Error(err)
	}
	_, err := of.Open(append(slices.Clone(reply), 0), document)
	refused("bytes follow it", err)
	_, err = of.Open(make([]byte, timestamp.MaxReply+1), document)
	refused("more than 65536 bytes", err)
}

// TestARefusalIsRepeated in the words of the authority.
func TestARefusalIsRepeated(t *testing.T) {
	tsa := tsatest.New(t, tsatest.P256, "Sello de prueba")
	of := trusting(t, tsa.Roots, "1.2.3.4")
	query := must(of.Query(document, rand.Reader))
	_, err := of.Accept(tsa.Reply(query.DER), query, time.Now())
	refusal, ok := errors.AsType[*timestamp.RefusalError](err)
	if !ok || refusal.Status != 2 || !slices.Equal(refusal.Failures, []string{"unacceptedPolicy"}) || refusal.Text == "" || !strings.Contains(err.Error(), refusal.Text) {
		t.Errorf("%v", err)
	}
}

// TestAClockThatIsWrong: a stamp of openssl at another time verifies, and is refused as an answer.
func TestAClockThatIsWrong(t *testing.T) {
	tsa := tsatest.New(t, tsatest.RSA, "Sello de prueba")
	of := trusting(t, tsa.Roots, "")
	query := must(of.Query(document, rand.Reader))
	for _, away := range []time.Duration{time.Hour, -time.Hour} {
		reply := tsa.ReplyAt(query.DER, time.Now().Add(away))
		verifyByOpenSSL(t, reply, tsa.Roots)
		if _, err := of.Open(reply, document); err != nil {
			t.Errorf("%s: %v", away, err)
		}
		if _, err := of.Accept(reply, query, time.Now()); err == nil || !strings.Contains(err.Error(), "one of them is wrong") {
			t.Errorf("%s: %v", away, err)
		}
	}
}

// TestTheClockIsFoundInAnyStamp: the authority of the tests moves the time also where the digest of the document has
// the bytes with which a time begins.
func TestTheClockIsFoundInAnyStamp(t *testing.T) {
	tsa := tsatest.New(t, tsatest.RSA, "Sello de prueba")
	of := trusting(t, tsa.Roots, "")
	var document []byte
	for n := 0; ; n++ {
		document = strconv.AppendInt(nil, int64(n), 10)
		if digest := sha256.Sum256(document); bytes.Contains(digest[:], []byte("\x18\x0f")) {
			break
		}
	}
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	stamp, err := of.Open(tsa.ReplyAt(must(of.Query(document, rand.Reader)).DER, at), document)
	if err != nil || !stamp.Time.Equal(at) {
		t.Errorf("%+v, %v", stamp, err)
	}
}

// TestEachByteCounts: an answer of openssl with another bit anywhere is refused, or says what it said.
func TestEachByteCounts(t *testing.T) {
	for _, kind := range []tsatest.Kind{tsatest.P256, tsatest.RSA} {
		tsa := tsatest.New(t, kind, "Sello de prueba")
		of := trusting(t, tsa.Roots, "")
		reply := tsa.Reply(must(of.Query(document, rand.Reader)).DER)
		want := must(of.Open(reply, document))
		unsigned := 0
		for at := range reply {
			changed := slices.Clone(reply)
			changed[at] ^= 1
			got, err := of.Open(changed, document)
			if err != nil {
				continue
			}
			unsigned++
			if !got.Time.Equal(want.Time) || got.Authority != want.Authority || got.Serial.Cmp(want.Serial) != 0 || !got.Policy.Equal(want.Policy) {
				t.Errorf("%s: byte %d changes the stamp to %+v", kind, at, got)
			}
		}
		if unsigned > 40 {
			t.Errorf("%s: %d of %d bytes can be changed", kind, unsigned, len(reply))
		}
	}
}

// TestAPolicyIsAskedFor in the query, as openssl reads it.
func TestAPolicyIsAskedFor(t *testing.T) {
	of := &timestamp.Authority{Policy: asn1.ObjectIdentifier{1, 2, 3, 4}}
	query := must(of.Query(document, bytes.NewReader([]byte{0, 0xff, 3, 4, 5, 6, 7, 8})))
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "q.tsq"), query.DER, 0o600); err != nil {
		t.Fatal(err)
	}
	out := tsatest.OpenSSL(t, folder, "ts", "-query", "-in", "q.tsq", "-text")
	for _, want := range []string{"Version: 1", "Hash Algorithm: sha256", "Policy OID: 1.2.3.4", "Nonce: 0xFF030405060708", "Certificate required: yes"} {
		if !strings.Contains(out, want) {
			t.Errorf("openssl does not read %q:\n%s", want, out)
		}
	}
	if _, err := of.Query(document, bytes.NewReader(make([]byte, 7))); err == nil {
		t.Error("a query without a whole nonce")
	}
}
