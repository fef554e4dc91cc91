package term

import (
	"bytes"
	"testing"

	"github.com/fielato/fielato/audit"
)

// The terms of one receiver, with the keys of the test.
const (
	wantPlain  Term = 0xc8bbaf0d79b2
	wantSealed Term = 0xf892fb5269df
)

// TestTermsOfAKeyStay what they are: stores have them.
func TestTermsOfAKeyStay(t *testing.T) {
	content, err := audit.NewContentKey(bytes.NewReader(bytes.Repeat([]byte{1}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := Derive([]byte("secret of a store"), content)
	if err != nil {
		t.Fatal(err)
	}
	if plain, sealed := keys.Of(false).Of(18, 20111111112), keys.Of(true).Of(18, 20111111112); plain != wantPlain || sealed != wantSealed {
		t.Errorf("%#x and %#x", plain, sealed)
	}
}
