package audit_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
)

func newContentKey(t testing.TB, seed byte) *audit.ContentKey {
	t.Helper()
	key, err := audit.NewContentKey(rand.NewChaCha8([32]byte{seed}))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestContentKeyComesBackFromItsText(t *testing.T) {
	key := newContentKey(t, 1)
	again, err := audit.ParseContentKey(" " + key.Private() + "\n")
	if err != nil || again.ID() != key.ID() || again.Private() != key.Private() {
		t.Fatalf("%v, %v", again, err)
	}
	if other := newContentKey(t, 2); other.ID() == key.ID() {
		t.Error("two keys have the same ID")
	}
	for _, text := range []string{
		"", "short", key.Private()[:43], key.Private() + "A", base64.StdEncoding.EncodeToString(make([]byte, 31)),
		base64.StdEncoding.EncodeToString(make([]byte, 33)), strings.Repeat("*", 44),
	} {
		if _, err := audit.ParseContentKey(text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v; want an error that does not repeat it", text, err)
		}
	}
}

// TestContentKeyPrintsWithoutItsSecret: a key that ends up in a log, a dump or an error must
// reveal nothing.
func TestContentKeyPrintsWithoutItsSecret(t *testing.T) {
	key := newContentKey(t, 1)
	secret, _ := base64.StdEncoding.DecodeString(key.Private())
	text := fmt.Sprintf("%v %+v %#v %s %q", key, key, key, key, key)
	if marshalled, err := json.Marshal(key); err == nil {
		text += string(marshalled)
	}
	if !strings.Contains(text, key.ID()) {
		t.Errorf("does not say which key it is: %s", text)
	}
	for _, form := range []string{key.Private(), string(secret), fmt.Sprintf("%x", secret), fmt.Sprintf("%d", secret)} {
		if strings.Contains(text, form) {
			t.Errorf("tells the key: %s", text)
		}
	}
}

func TestDataKeyBelongsToItsLogAndPeriod(t *testing.T) {
	master := newContentKey(t, 1)
	const november = audit.Period(2026*12 + 10)
	_, wrapped, err := master.NewDataKey("gateway-1", november)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := master.OpenDataKey(wrapped, "gateway-1", november); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() error{
		"another log":    func() error { _, err := master.OpenDataKey(wrapped, "gateway-2", november); return err },
		"another period": func() error { _, err := master.OpenDataKey(wrapped, "gateway-1", november+1); return err },
		"another key":    func() error { _, err := newContentKey(t, 2).OpenDataKey(wrapped, "gateway-1", november); return err },
		"nothing":        func() error { _, err := master.OpenDataKey(nil, "gateway-1", november); return err },
	} {
		if err := open(); !errors.Is(err, audit.ErrContentKey) {
			t.Errorf("%s: %v, want ErrContentKey", name, err)
		}
	}
}

// TestSealedContentOpensAtItsPlaceOnly, and not with any bit of it changed.
func TestSealedContentOpensAtItsPlaceOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		master, err := audit.NewContentKey(rand.NewChaCha8([32]byte{1}))
		if err != nil {
			t.Fatal(err)
		}
		key, wrapped, err := master.NewDataKey("gateway-1", 1)
		if err != nil {
			t.Fatal(err)
		}
		content := rapid.SliceOf(rapid.Byte()).Draw(t, "content")
		place := rapid.Uint64().Draw(t, "place")
		sealed, err := key.Seal([]byte("before"), content, place)
		if err != nil || !bytes.HasPrefix(sealed, []byte("before")) || len(sealed) != 6+len(content)+40 {
			t.Fatalf("%d bytes of %d, %v", len(sealed), len(content), err)
		}
		sealed = sealed[6:]
		again, err := master.OpenDataKey(wrapped, "gateway-1", 1)
		if err != nil {
			t.Fatal(err)
		}
		if opened, err := again.Open(sealed, place); err != nil || !bytes.Equal(opened, content) {
			t.Fatalf("%q, %v; want %q", opened, err, content)
		}
		if _, err := again.Open(sealed, place+1); !errors.Is(err, audit.ErrContent) {
			t.Fatalf("at another place: %v, want ErrContent", err)
		}
		bit := rapid.IntRange(0, 8*len(sealed)-1).Draw(t, "bit")
		sealed[bit/8] ^= 1 << (bit % 8)
		if _, err := again.Open(sealed, place); !errors.Is(err, audit.ErrContent) {
			t.Fatalf("with bit %d changed: %v, want ErrContent", bit, err)
		}
	})
}

func TestPeriodIsAMonthInArgentina(t *testing.T) {
	for moment, want := range map[string]string{
		"2026-11-20T12:00:00Z": "2026-11", "2026-12-01T02:59:59Z": "2026-11", "2026-12-01T03:00:00Z": "2026-12",
		"2027-01-01T02:59:59Z": "2026-12", "0001-01-01T03:00:00Z": "0001-01", "9999-12-31T23:00:00Z": "9999-12",
	} {
		at, err := time.Parse(time.RFC3339, moment)
		if err != nil {
			t.Fatal(err)
		}
		period := audit.PeriodOf(at)
		if period.String() != want {
			t.Errorf("%s: %s, want %s", moment, period, want)
		}
		again, err := audit.ParsePeriod(want)
		if err != nil || again != period || audit.PeriodOf(period.Start()) != period || audit.PeriodOf(period.Start().Add(-1)) != period-1 {
			t.Errorf("%s: parsed %v, %v; begins %s", want, again, err, period.Start())
		}
	}
	for _, text := range []string{"", "2026", "2026-13", "2026-1", "2026-11-01", "11-2026", "2026-00", " 2026-11"} {
		if period, err := audit.ParsePeriod(text); err == nil {
			t.Errorf("%q is read as %s", text, period)
		}
	}
}
