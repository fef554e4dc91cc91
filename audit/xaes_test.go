package audit

import (
	"bytes"
	"crypto/sha3"
	"encoding/hex"
	"testing"
)

// sealWith is seal with a nonce that is given.
func sealWith(t *testing.T, key, nonce, message, bound []byte) []byte {
	t.Helper()
	x, err := newXAES(key)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := x.gcm(nonce)
	if err != nil {
		t.Fatal(err)
	}
	sealed := aead.Seal(nil, nonce[contextBytes:], message, bound)
	opened, err := x.open(append(bytes.Clone(nonce), sealed...), bound)
	if err != nil || !bytes.Equal(opened, message) {
		t.Fatalf("opened %q, %v; want %q", opened, err, message)
	}
	return sealed
}

// TestXAESGivesTheVectorsOfItsSpecification: https://c2sp.org/XAES-256-GCM.
func TestXAESGivesTheVectorsOfItsSpecification(t *testing.T) {
	for _, v := range []struct {
		key         byte
		bound, want string
	}{
		{1, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
		{3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
	} {
		got := sealWith(t, bytes.Repeat([]byte{v.key}, 32), []byte("ABCDEFGHIJKLMNOPQRSTUVWX"), []byte("XAES-256-GCM"), []byte(v.bound))
		if hex.EncodeToString(got) != v.want {
			t.Errorf("key %d: %x, want %s", v.key, got, v.want)
		}
	}
	random, hash := sha3.NewSHAKE128(), sha3.NewSHAKE128()
	read := func(n int) []byte {
		b := make([]byte, n)
		_, _ = random.Read(b)
		return b
	}
	for range 10_000 {
		key, nonce := read(32), read(24)
		message := read(int(read(1)[0]))
		bound := read(int(read(1)[0]))
		_, _ = hash.Write(sealWith(t, key, nonce, message, bound))
	}
	sum := make([]byte, 32)
	_, _ = hash.Read(sum)
	if want := "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939"; hex.EncodeToString(sum) != want {
		t.Errorf("10,000 messages: %x, want %s", sum, want)
	}
}
