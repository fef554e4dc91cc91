package mask_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/testrun"
)

// tokenOf makes a credential of so many bytes.
func tokenOf(n int) string {
	random := rand.New(rand.NewPCG(3, 4))
	token := make([]byte, n)
	for i := range token {
		token[i] = byte('a' + random.IntN(26))
	}
	return string(token)
}

// TestALongCredentialIsReadOnceForManyTexts: a request within the limits can hold a
// credential of megabytes and a thousand mistakes.
func TestALongCredentialIsReadOnceForManyTexts(t *testing.T) {
	for name, token := range map[string]string{"of many letters": tokenOf(2 << 20), "of one letter": strings.Repeat("a", 2<<20)} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			credentials := redactor().Credentials(token, token[1:])
			for i := range 1000 {
				text := fmt.Sprintf("%d%s", i, strings.Repeat("AB", 90))
				if got := credentials.Text(text); got != text {
					t.Fatalf("%s became %s", text, got)
				}
				leak := "x" + token[i*2000:][:12]
				if got := credentials.Text(leak); got != redactor().Fingerprint([]byte(leak)) {
					t.Fatalf("%s is kept as %s", leak, got)
				}
			}
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			t.Logf("%v, %d bytes", took, after.TotalAlloc-before.TotalAlloc)
			if took > 20*time.Second { // reading them for each text takes minutes
				t.Errorf("took %v", took)
			}
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 12*2*uint64(len(token)) {
				t.Errorf("%d bytes were allocated for credentials of %d each", bytes, len(token))
			}
		})
	}
}

// TestManyTextsAreReadLikeOne: whether the fragments are hashed makes no difference.
func TestManyTextsAreReadLikeOne(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, length := range []int{0, 7, 8, 11, 12, 13, 600, 5000} {
		token := tokenOf(length)
		credentials := redactor().Credentials(token, "another one")
		for range testrun.Size(t, 500, 3000) {
			from := random.IntN(length + 1)
			text := strings.Repeat("X", random.IntN(20)) + token[from:min(length, from+random.IntN(20))] + strings.Repeat("Y", random.IntN(300))
			pointer := "/a/" + text
			if got, want := credentials.Text(text), redactor().Text(text, token, "another one"); got != want {
				t.Fatalf("%q of %q: %q, alone %q", text, token, got, want)
			}
			if got, want := credentials.Pointer(pointer), redactor().Pointer(pointer, token, "another one"); got != want {
				t.Fatalf("%q of %q: %q, alone %q", pointer, token, got, want)
			}
		}
	}
}
