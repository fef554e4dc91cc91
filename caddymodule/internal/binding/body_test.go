package binding

import (
	"errors"
	"io"
	"testing"

	"github.com/fielato/fielato/internal/panics"
)

var errForbidden = errors.New("not any more")

// readUntil reads a body in parts until an error, and returns what came.
func readUntil(b *Body) (parts []string, err error) {
	for p := make([]byte, 32<<10); ; {
		n, err := b.Read(p)
		if err != nil {
			return parts, err
		}
		parts = append(parts, string(p[:n]))
	}
}

// TestTheEndOfADocumentIsGivenLast, even if white space follows, which a reader that decodes
// on the way does not wait for.
func TestTheEndOfADocumentIsGivenLast(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"a":1}`:           {`{"a":1`, `}`},
		"{\"a\":1} \r\n\t ": {`{"a":1`, "} \r\n\t "},
	} {
		b := NewBody([]byte(body), nil, true, func() error { return nil })
		parts, err := readUntil(b)
		if len(parts) != 2 || parts[0] != want[0] || parts[1] != want[1] || !errors.Is(err, io.EOF) {
			t.Errorf("%q came as %q, %v", body, parts, err)
		}
		if whole, refused := b.End(); !whole || refused != nil {
			t.Errorf("%q: whole %v, %v", body, whole, refused)
		}
		asked := 0
		b = NewBody([]byte(body), nil, true, func() error {
			if asked++; asked == 2 {
				return errForbidden // and never again
			}
			return nil
		})
		for range 2 { // once refused is always refused
			if parts, err = readUntil(b); !errors.Is(err, errForbidden) {
				t.Errorf("%q came as %q, %v", body, parts, err)
			}
		}
		if whole, refused := b.End(); whole || !errors.Is(refused, errForbidden) {
			t.Errorf("%q, held back: whole %v, %v", body, whole, refused)
		}
	}
}

// TestNothingIsGivenAfterTheEnd: a transport reads on while its handler returns.
func TestNothingIsGivenAfterTheEnd(t *testing.T) {
	b := NewBody([]byte(`{}`), nil, true, func() error { return nil })
	if _, err := b.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if whole, _ := b.End(); whole {
		t.Error("half a document is taken for a whole one")
	}
	if parts, err := readUntil(b); len(parts) > 0 || !errors.Is(err, errEnded) {
		t.Errorf("%q, %v", parts, err)
	}
}

// TestAQueryIsGivenInOnePiece: nothing is done twice by it.
func TestAQueryIsGivenInOnePiece(t *testing.T) {
	b := NewBody([]byte(`{"a":1}`), nil, false, func() error { return nil })
	if parts, err := readUntil(b); len(parts) != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("it came as %q, %v", parts, err)
	}
	if whole, _ := b.End(); !whole {
		t.Error("it is not taken for a whole one")
	}
}

// TestNothingIsSentWhereItCannotBeSaid: a panic on a goroutine of the transport ends nothing
// but the request.
func TestNothingIsSentWhereItCannotBeSaid(t *testing.T) {
	b := NewBody([]byte(`{}`), nil, true, func() error { panic("no lease") })
	if parts, err := readUntil(b); len(parts) > 0 || !errors.As(err, new(*panics.Error)) {
		t.Errorf("came as %q, %v", parts, err)
	}
	if whole, refused := b.End(); whole || refused == nil {
		t.Errorf("whole %v, %v", whole, refused)
	}
}
