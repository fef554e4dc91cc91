package cms_test

import (
	"errors"
	"testing"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/internal/cms"
)

// FuzzVerify: whatever comes, there is a message or one of the three errors.
func FuzzVerify(f *testing.F) {
	client := wsaatest.NewClient(f, wsaatest.Spec{})
	for _, form := range forms(f) {
		f.Add(client.Sign(f, content, form))
	}
	f.Add([]byte{0x30, 0x80, 0x24, 0x80, 0x24, 0x80, 0x04, 0x00, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		signed, err := cms.Verify(data)
		known := errors.Is(err, cms.ErrFormat) || errors.Is(err, cms.ErrNoCertificate) || errors.Is(err, cms.ErrSignature)
		if (err == nil) != (signed != nil) || err != nil && !known {
			t.Errorf("%v, %v", signed, err)
		}
		if signed != nil && len(signed.Content) > len(data) {
			t.Errorf("%d bytes of content in %d", len(signed.Content), len(data))
		}
	})
}
