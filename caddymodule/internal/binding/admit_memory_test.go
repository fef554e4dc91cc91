package binding

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"
)

// counting is a body that notes the room that its reader has offered.
type counting struct {
	io.Reader
	offered int
}

func (c *counting) Read(p []byte) (int, error) {
	c.offered = max(c.offered, len(p))
	return c.Reader.Read(p)
}

func (*counting) Close() error { return nil }

// TestABodyTakesMemoryAsItComes: thousands of clients may announce much and send nothing.
func TestABodyTakesMemoryAsItComes(t *testing.T) {
	for _, sent := range []int{0, 1, firstBuffer, firstBuffer + 1, 3 * firstBuffer, firstRead} {
		text := bytes.Repeat([]byte("x"), sent)
		body := &counting{Reader: iotest.OneByteReader(bytes.NewReader(text))}
		r := httptest.NewRequest(http.MethodPost, "/", body)
		r.ContentLength = firstRead
		got, err := Admission{MaxBody: firstRead}.readBody(nil, r)
		if want := sent < firstRead; !bytes.Equal(got, text) || want != (err != nil) || want && sent > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %d came, %v", sent, len(got), err)
		}
		if most := max(sent, firstBuffer); body.offered > most {
			t.Errorf("%d bytes: room for %d more was made", sent, body.offered)
		}
	}
}

// TestABodyThatComesWholeIsWhole, whatever its length.
func TestABodyThatComesWholeIsWhole(t *testing.T) {
	for n := range int64(3 * firstBuffer) {
		text := bytes.Repeat([]byte{byte(n)}, int(n))
		if got, err := readAnnounced(bytes.NewReader(text), n, min(n, 64)); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes: %d came, %v", n, len(got), err)
		}
	}
}
