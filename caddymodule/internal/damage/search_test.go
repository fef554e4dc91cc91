package damage_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/internal/audittest"
)

// found is what a search finds: indexes, !INDEX for one without content, and ?FIRST-LAST for what nobody can read.
func found(t *testing.T, store audit.Store, query audit.Query) string {
	t.Helper()
	var all []string
	for r, err := range damage.Search(t.Context(), store, query) {
		var flaw *damage.Error
		switch {
		case errors.As(err, &flaw) && flaw.Record != nil:
			all = append(all, fmt.Sprintf("!%d", flaw.First))
		case flaw != nil:
			all = append(all, fmt.Sprintf("?%d-%d", flaw.First, flaw.Next-1))
		case err != nil:
			t.Fatal(err)
		default:
			all = append(all, fmt.Sprint(r.Index))
		}
	}
	return strings.Join(all, " ")
}

// TestWhatIsDamagedHidesNothingElse, wherever it is and whatever is asked for.
func TestWhatIsDamagedHidesNothingElse(t *testing.T) {
	sound := audittest.NewMemory()
	for i := range 40 {
		r := &audit.Record{Kind: audit.KindExchange, ID: fmt.Sprint(i), Time: time.Unix(int64(i), 0).UTC(), Operation: "FEDummy", Status: 200 + i%2}
		if err := sound.Commit(t.Context(), audittest.Seal(t, sound, "a", r)); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		store := &audittest.Damaged{Store: sound, Content: map[uint64]bool{}, Summary: map[uint64]bool{}}
		for range random.IntN(6) {
			store.Content[random.Uint64N(40)] = true
		}
		if random.IntN(2) == 0 {
			for at, n := random.Uint64N(40), random.Uint64N(5); n > 0; n-- {
				store.Summary[min(at+n, 39)] = true
			}
		}
		query := audit.Query{Log: "a", SummaryOnly: random.IntN(3) == 0}
		if random.IntN(3) == 0 {
			query.From, query.Before = random.Uint64N(20), 20+random.Uint64N(20)
		}
		end := query.Before
		if end == 0 {
			end = 40
		}
		var want []string
		for i := end; i > query.From; i-- {
			switch at := i - 1; {
			case store.Summary[at]:
				first := at
				for first > query.From && store.Summary[first-1] {
					first--
				}
				want = append(want, fmt.Sprintf("?%d-%d", first, at))
				i = first + 1
			case store.Content[at] && !query.SummaryOnly:
				want = append(want, fmt.Sprintf("!%d", at))
			default:
				want = append(want, fmt.Sprint(at))
			}
		}
		if got := found(t, store, query); got != strings.Join(want, " ") {
			t.Errorf("%v, content %v, summaries %v:\n%s\nwant %s", query, store.Content, store.Summary, got, strings.Join(want, " "))
		}
	}
	store := &audittest.Damaged{Store: sound, Content: map[uint64]bool{38: true}}
	if got := found(t, store, audit.Query{Log: "a", Status: 201, From: 34}); got != "39 37 35" {
		t.Errorf("what does not match is shown: %s", got)
	}
	broken := errors.New("the disk is gone")
	store.Broken = broken
	for _, err := range damage.Search(t.Context(), store, audit.Query{Log: "a"}) {
		if !errors.Is(err, broken) {
			t.Errorf("another error: %v", err)
		}
	}
	if damage.Is(broken) || !damage.Is(&damage.Error{Err: audit.ErrDamaged}) || damage.Is(audit.ErrNotFound) {
		t.Error("what is damage?")
	}
}

// TestAStoreGoesOnBehindDamage: its searches have all that can be read, as many as are asked for, and it tells that
// something is missing.
func TestAStoreGoesOnBehindDamage(t *testing.T) {
	sound := audittest.NewMemory()
	for i := range 10 {
		r := &audit.Record{Kind: audit.KindExchange, ID: fmt.Sprint(i), Time: time.Unix(int64(i), 0).UTC(), Operation: "FEDummy", Request: []byte("{}")}
		if err := sound.Commit(t.Context(), audittest.Seal(t, sound, "a", r)); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		query audit.Query
		want  string
		met   bool
	}{
		"all":               {audit.Query{}, "9 8! 7 4 3 2 1 0", true},
		"five":              {audit.Query{Limit: 5}, "9 8! 7 4 3", true},
		"one":               {audit.Query{Limit: 1}, "9", false},
		"those before":      {audit.Query{Before: 5, Limit: 2}, "4 3", false},
		"damaged ones only": {audit.Query{From: 5, Before: 7}, "", true},
	} {
		s := &damage.Store{Store: &audittest.Damaged{Store: sound, Content: map[uint64]bool{8: true}, Summary: map[uint64]bool{5: true, 6: true}}}
		c.query.Log = "a"
		var got []string
		for r, err := range s.Search(t.Context(), c.query) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(r.Index, map[bool]string{true: "!"}[r.Presence == audit.Unread]))
		}
		if strings.Join(got, " ") != c.want || s.Met() != c.met {
			t.Errorf("%s: %q, met %t", name, got, s.Met())
		}
	}
	s := &damage.Store{Store: &audittest.Damaged{Store: sound, Content: map[uint64]bool{8: true}, Summary: map[uint64]bool{5: true}}}
	if r, err := s.Get(t.Context(), "a", 7); err != nil || string(r.Request) != "{}" || s.Met() {
		t.Errorf("a sound one: %+v, %v", r, err)
	}
	if r, err := s.Get(t.Context(), "a", 8); err != nil || r.ID != "8" || r.Presence != audit.Unread || !s.Met() {
		t.Errorf("one with a summary: %+v, %v", r, err)
	}
	if r, err := s.Get(t.Context(), "a", 5); !errors.Is(err, audit.ErrDamaged) {
		t.Errorf("one without: %+v, %v", r, err)
	}
}
