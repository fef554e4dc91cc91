package binding

import (
	"fmt"
	"strings"
	"testing"
)

// TestDocumentsAreMadeOnceAndBounded, also where clients ask under any number of names.
func TestDocumentsAreMadeOnceAndBounded(t *testing.T) {
	var c documentCache
	made := 0
	of := func(key string) document {
		return c.of(key, func() []byte { made++; return []byte(key) })
	}
	first := of("a")
	if again := of("a"); made != 1 || again.tag != first.tag || first.tag == of("b").tag {
		t.Errorf("%d were made, %s and %s", made, first.tag, again.tag)
	}
	for i := range 10 * maxDocuments {
		of(fmt.Sprint(i))
		if len(c.all) > maxDocuments {
			t.Fatalf("%d are kept", len(c.all))
		}
	}
	c = documentCache{}
	if long := of(strings.Repeat("x", maxDocumentKey+1)); len(long.body) == 0 || len(c.all) > 0 {
		t.Errorf("%d of %d bytes are kept", len(c.all), len(long.body))
	}
}
