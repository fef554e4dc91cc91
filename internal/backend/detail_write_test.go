package backend

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

func TestAmountsAreKeptTrimmed(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 5))
	texts := []string{
		"0", "-0", "-0.00", "0.00", "0.10", "-0.5", "100", "-100.00", "1e2", "1E-3", "-1e400", "1.50e0", "9223372036854775807", "18446744073709551615",
		"0.9999999999999999999", "0.0000000000000000001", "1.000000000000000000", "-9999999999999999999", "0.12345678901234567890123", "1.00000000000000000000000",
	}
	for range testrun.Size(t, 20_000, 2_000_000) {
		number := func() string { return strconv.FormatUint(random.Uint64()>>random.IntN(64), 10) }
		texts = append(texts, strings.Repeat("-", random.IntN(2))+number()+"."+number()+strings.Repeat("0", random.IntN(4)))
	}
	for _, text := range texts {
		a := wsfev1.MustAmount(text)
		if got, want := string(appendTrimmed([]byte("1.0"), &a)), "1.0"+a.Trim().String(); got != want {
			t.Fatalf("%s is written %s, want %s", text, got, want)
		}
	}
	if got := string(appendTrimmed(nil, new(wsfev1.Amount))); got != "0" {
		t.Errorf("one that was not sent is written %s", got)
	}
}
