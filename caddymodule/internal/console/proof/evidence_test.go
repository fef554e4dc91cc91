package proof

import (
	"bytes"
	"errors"
	"testing"
)

// TestEvidenceIsBounded: a file that is too long is not written, and the reader is told.
func TestEvidenceIsBounded(t *testing.T) {
	var file bytes.Buffer
	b := &bounded{&file, 10}
	if n, err := b.Write([]byte("0123456789")); n != 10 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := b.Write([]byte("!")); !errors.Is(err, errTooLong) || file.Len() != 10 {
		t.Errorf("%v, %d bytes", err, file.Len())
	}
}
