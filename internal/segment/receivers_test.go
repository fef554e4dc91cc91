package segment

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/term"
)

// vaultWith returns the vault of a store with this secret.
func vaultWith(t *testing.T, secret string, content byte) *Vault {
	t.Helper()
	var key *audit.ContentKey
	if content != 0 {
		var err error
		if key, err = audit.NewContentKey(bytes.NewReader(bytes.Repeat([]byte{content}, 32))); err != nil {
			t.Fatal(err)
		}
	}
	v := NewVault(key)
	var err error
	if v.receivers, err = term.Derive([]byte(secret), key); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTermsOfReceiversNeedTheKey: who has the store, its secret included, makes none of sealed content; and each store
// has others.
func TestTermsOfReceiversNeedTheKey(t *testing.T) {
	r := &audit.Record{Kind: audit.KindExchange, Request: []byte(`{"DocNro":30111222}`)}
	query := &audit.Query{Receiver: 30111222}
	for _, test := range []struct {
		written, read *Vault
		found         bool
	}{
		{vaultWith(t, "a", 0), vaultWith(t, "a", 0), true},
		{vaultWith(t, "a", 0), vaultWith(t, "b", 0), false},
		{vaultWith(t, "a", 1), vaultWith(t, "a", 1), true},
		{vaultWith(t, "a", 1), vaultWith(t, "a", 0), false},
		{vaultWith(t, "a", 1), vaultWith(t, "a", 2), false},
		{vaultWith(t, "a", 1), vaultWith(t, "b", 1), false},
		{vaultWith(t, "a", 0), vaultWith(t, "a", 1), true}, // content that was not sealed yet
		{NewVault(nil), vaultWith(t, "a", 0), true},        // each is looked at
		{vaultWith(t, "a", 0), NewVault(nil), true},
	} {
		p := test.written.Prepare(r.Encode(nil), r).(*prepared)
		if found := p.keys.has(termsOfQuery(query, test.read), nil); found != test.found {
			t.Errorf("%+v: found %t", test, found)
		}
	}
}

// TestManyReceiversShareATerm, so that what a purge leaves of a receiver fits many others.
func TestManyReceiversShareATerm(t *testing.T) {
	key, terms := vaultWith(t, "a", 0).receivers.Plain, map[term.Term]bool{}
	const numbers = 200_000
	for i := range int64(numbers) {
		terms[key.Of(aboutReceiver, 10_000_000+i)] = true
	}
	// Of 200,000 numbers in 2^20 terms some 182,000 are expected.
	if n := len(terms); n > numbers-10_000 || n < numbers/2 {
		t.Errorf("%d terms of %d numbers", n, numbers)
	}
}

// TestARecordOfManyReceivers has few terms, and is found by each.
func TestARecordOfManyReceivers(t *testing.T) {
	var body []byte
	for i := range 20_000 {
		body = fmt.Appendf(body, `{"DocNro":%d}`, 1+i)
	}
	vault := vaultWith(t, "a", 0)
	p := vault.Prepare(audit.Form{}, &audit.Record{Kind: audit.KindExchange, Request: body}).(*prepared)
	if n := len(p.keys.terms) / term.Bytes; n > 20 {
		t.Errorf("%d terms", n)
	}
	if !p.keys.has(termsOfQuery(&audit.Query{Receiver: 12_345}, vault), nil) {
		t.Error("it is not found")
	}
}
