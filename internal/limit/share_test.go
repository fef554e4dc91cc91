package limit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/internal/limit"
)

// enter enters without waiting, and reports why it could not.
func enter(t *testing.T, l *limit.Limit, client string) (leave func(), err error) {
	t.Helper()
	return l.EnterAs(t.Context(), client, 0)
}

func mustEnter(t *testing.T, l *limit.Limit, client string) (leave func()) {
	t.Helper()
	leave, err := enter(t, l, client)
	if err != nil {
		t.Fatalf("%s: %v", client, err)
	}
	return leave
}

// queue lets a request of the client wait, and appends its name to entered once it is let in.
func queue(t *testing.T, l *limit.Limit, client string, entered *[]string, leaves map[string]func()) {
	t.Helper()
	go func() {
		leave, err := l.EnterAs(t.Context(), client, time.Hour)
		if err != nil {
			t.Errorf("%s: %v", client, err)
			return
		}
		*entered, leaves[client] = append(*entered, client), leave // only one is let in at a time
	}()
	synctest.Wait()
}

func TestClientHasItsShareAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLimit(4)
		l.Divide(map[string]limit.Share{"shop": {Slots: 2}, "erp": {}})
		leave := mustEnter(t, l, "shop")
		mustEnter(t, l, "shop")
		_, err := enter(t, l, "shop")
		if !errors.Is(err, limit.ErrShare) || !errors.Is(err, limit.ErrFull) || !strings.HasPrefix(err.Error(), "2 requests") {
			t.Errorf("beyond its share: %v", err)
		}
		mustEnter(t, l, "erp")
		mustEnter(t, l, "unknown")
		if _, err := enter(t, l, "erp"); !errors.Is(err, limit.ErrFull) || errors.Is(err, limit.ErrShare) || !strings.HasPrefix(err.Error(), "4 requests") {
			t.Errorf("no slot is left: %v", err)
		}
		leave()
		mustEnter(t, l, "erp")
		want := []limit.Usage{{Share: 4, Taken: 1}, {Client: "erp", Share: 4, Taken: 2}, {Client: "shop", Share: 2, Taken: 1}}
		if got := l.Usage(); !slices.Equal(got, want) {
			t.Errorf("%+v", got)
		}
	})
}

func TestClientAtItsShareBlocksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLimit(2)
		l.Divide(map[string]limit.Share{"shop": {Slots: 1}, "erp": {}})
		leaveShop, leaveErp := mustEnter(t, l, "shop"), mustEnter(t, l, "erp")
		var entered []string
		leaves := map[string]func(){}
		queue(t, l, "shop", &entered, leaves)
		queue(t, l, "erp", &entered, leaves)
		leaveErp()
		synctest.Wait()
		if !slices.Equal(entered, []string{"erp"}) {
			t.Errorf("%v entered: shop waited longer, and has its share", entered)
		}
		leaves["erp"]()
		mustEnter(t, l, "erp")()
		leaveShop()
		synctest.Wait()
		if !slices.Equal(entered, []string{"erp", "shop"}) {
			t.Errorf("%v entered", entered)
		}
	})
}

func TestSlotsGoRoundByClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLimit(1)
		l.Divide(map[string]limit.Share{"a": {}, "b": {}})
		leave := mustEnter(t, l, "a")
		var entered []string
		leaves := map[string]func(){}
		for _, client := range []string{"a", "a", "a", "b", "", "b", "unknown"} {
			queue(t, l, client, &entered, leaves)
		}
		for range 7 {
			leave()
			synctest.Wait()
			leave = leaves[entered[len(entered)-1]]
		}
		// a held the only slot, so that b and the requests without a client are before it
		if want := []string{"b", "", "a", "b", "unknown", "a", "a"}; !slices.Equal(entered, want) {
			t.Errorf("%q", entered)
		}
	})
}

func TestQueueIsBoundedByClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLimit(1)
		l.Divide(map[string]limit.Share{"a": {Waiting: 2}, "b": {}, "": {Waiting: 1}})
		leave := mustEnter(t, l, "b")
		for client, most := range map[string]int{"a": 2, "b": 1024, "": 1} {
			for range most {
				go func() {
					leave, err := l.EnterAs(t.Context(), client, time.Hour)
					if err != nil {
						t.Errorf("%s: %v", client, err)
						return
					}
					leave()
				}()
			}
			synctest.Wait()
			before := time.Now()
			if _, err := l.EnterAs(t.Context(), client, time.Hour); !errors.Is(err, limit.ErrFull) || time.Since(before) != 0 {
				t.Errorf("%q: after %v: %v", client, time.Since(before), err)
			}
		}
		want := []limit.Usage{{Share: 1, Waiting: 1}, {Client: "a", Share: 1, Waiting: 2}, {Client: "b", Share: 1, Taken: 1, Waiting: 1024}}
		if got := l.Usage(); !slices.Equal(got, want) {
			t.Errorf("%+v", got)
		}
		leave()
		synctest.Wait()
		if l.Fullness() != 0 {
			t.Errorf("%v", l.Usage())
		}
	})
}

// TestDivisionKeepsWhoIsThere: a new table of clients takes nobody's slot, and no request of an old one is lost.
func TestDivisionKeepsWhoIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.NewLimit(4)
		l.Divide(map[string]limit.Share{"shop": {Slots: 2}, "erp": {Slots: 1}})
		leaves := []func(){mustEnter(t, l, "shop"), mustEnter(t, l, "shop"), mustEnter(t, l, "erp")}
		var entered []string
		later := map[string]func(){}
		queue(t, l, "shop", &entered, later)
		queue(t, l, "erp", &entered, later)

		l.Divide(map[string]limit.Share{"shop": {Slots: 1}})
		want := []limit.Usage{{Share: 4}, {Client: "shop", Share: 1, Taken: 2, Waiting: 1}}
		if got := l.Usage(); !slices.Equal(got, want) || l.Fullness() != 0.75 {
			t.Errorf("%+v, %v", got, l.Fullness())
		}
		leaves[2]() // erp is named no longer, and its request waits for its slot all the same
		synctest.Wait()
		leaves[0]() // shop has its new share now
		synctest.Wait()
		if !slices.Equal(entered, []string{"erp"}) {
			t.Errorf("%v", entered)
		}
		l.Divide(map[string]limit.Share{"shop": {Slots: 2}, "erp": {Slots: 1}})
		synctest.Wait()
		if !slices.Equal(entered, []string{"erp", "shop"}) {
			t.Errorf("%v: the share has grown", entered)
		}
		if _, err := enter(t, l, "erp"); !errors.Is(err, limit.ErrShare) {
			t.Errorf("what erp had before it was named again counts: %v", err)
		}
		for _, leave := range []func(){leaves[1], later["erp"], later["shop"]} {
			leave()
		}
		l.Divide(nil)
		if got := l.Usage(); !slices.Equal(got, []limit.Usage{{Share: 4}}) || l.Fullness() != 0 {
			t.Errorf("in the end: %+v", got)
		}
	})
}

func TestNilLimitHasNoShares(t *testing.T) {
	l := limit.NewLimit(0)
	l.Divide(map[string]limit.Share{"a": {Slots: 1}})
	for range 3 {
		mustEnter(t, l, "a")
	}
	if l.Usage() != nil || l.Fullness() != 0 {
		t.Errorf("%v", l.Usage())
	}
}

func TestEnteringAllocatesNothing(t *testing.T) {
	l := divided(4, 10, limit.Share{Slots: 2})
	for _, client := range []string{"", "c3"} {
		if n := testing.AllocsPerRun(100, func() { mustEnter(t, l, client)() }); n != 0 {
			t.Errorf("%q: %v allocations", client, n)
		}
	}
}
