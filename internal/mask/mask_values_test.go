package mask

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestValuesAreFoundWhereverTheyStand holds the search for all against one for each.
func TestValuesAreFoundWhereverTheyStand(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	word := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("ab"[random.IntN(2)])
		}
		return b.String()
	}
	found := 0
	for range 3000 {
		v := values{all: map[string]bool{}}
		var each []string
		for range random.IntN(20) {
			value := word(6 + random.IntN(4))
			v.add(value)
			each = append(each, value)
			if random.IntN(4) == 0 {
				v.occurIn(value) // one that comes later is looked for too
			}
		}
		text, want := word(random.IntN(40)), false
		for _, value := range each {
			want = want || strings.Contains(text, value)
		}
		if got := v.occurIn(text); got != want {
			t.Fatalf("%q in %q: %v, want %v", each, text, got, want)
		}
		if want {
			found++
		}
	}
	if found < 300 || found > 2700 {
		t.Errorf("%d of 3000 were found: the test says little", found)
	}
}

func TestTheBeginningOfALongValueIsLookedFor(t *testing.T) {
	v := values{all: map[string]bool{}}
	v.add(strings.Repeat("0123456789", 10))
	for text, want := range map[string]bool{
		"x" + strings.Repeat("0123456789", 10): true,
		strings.Repeat("0123456789", 7):        true,
		strings.Repeat("0123456789", 6):        false,
	} {
		if got := v.occurIn(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
