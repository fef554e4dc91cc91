package main

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

// TestOthersAreWhatIsNotOurs: of the machine's time, in each place of /proc/stat.
func TestOthersAreWhatIsNotOurs(t *testing.T) {
	stat := func(cpu0, cpu1 string) machine {
		return parseMachine([]byte("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 " + cpu0 + "\ncpu1 " + cpu1 + "\nintr 5\nctxt 7\n"))
	}
	before := reading{at: time.Unix(0, 0), machine: stat("10 0 10 100 5 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0")}
	after := reading{
		at: time.Unix(1, 0), target: usage{processor: 500 * time.Millisecond}, upstream: usage{processor: 200 * time.Millisecond},
		client:  300 * time.Millisecond,
		machine: stat("60 10 30 110 6 0 10 5 50 0", "20 0 15 65 0 5 0 0 0 0"), // 50+10+20+10+5 and 20+15+5 ticks of 10 ms
	}
	if got := after.othersSince(before); got < 0.1749 || got > 0.1751 { // 1.35 s less 1 s, of 2 s
		t.Errorf("others %v", got)
	}
	cost := after.costSince(before, 1000)
	if cost.target != 500 || cost.client != 300 || cost.upstream != 200 {
		t.Errorf("%+v", cost)
	}
	after.target.processor = 3 * time.Second // more than the machine's clock has seen
	if got := after.othersSince(before); got != 0 {
		t.Errorf("others %v", got)
	}
	unknown := reading{at: time.Unix(1, 0)}
	if got := unknown.othersSince(reading{at: time.Unix(0, 0)}); got != 0 {
		t.Errorf("others %v on a system that does not tell", got)
	}
}

func TestThisMachineIsRead(t *testing.T) {
	if _, err := os.Stat("/proc/stat"); err != nil {
		t.Logf("this system has none: %v", err)
		return
	}
	if m := machineNow(); m.processors == 0 || m.busy <= 0 {
		t.Errorf("%+v", m)
	}
}

// TestARoundThatOthersDisturbIsMeasuredAgain, so many times at most, and the best counts.
func TestARoundThatOthersDisturbIsMeasuredAgain(t *testing.T) {
	for name, test := range map[string]struct {
		others          []float64
		repeats, rounds int
		best            float64
	}{
		"quiet":              {[]float64{0.15, 9}, 2, 1, 0.15},
		"quiet at last":      {[]float64{0.5, 0.4, 0.1, 9}, 3, 3, 0.1},
		"never quiet":        {[]float64{0.5, 0.3, 0.4, 0}, 2, 3, 0.3},
		"never again":        {[]float64{0.5, 0}, 0, 1, 0.5},
		"louder and louder":  {[]float64{0.2, 0.3, 0.4}, 2, 3, 0.2},
		"nobody can tell it": {[]float64{0, 9}, 2, 1, 0},
	} {
		rounds := 0
		got, err := quietest(t.Context(), test.repeats, func(context.Context) (round, error) {
			rounds++
			return round{others: test.others[rounds-1]}, nil
		})
		if err != nil || got.others != test.best || rounds != test.rounds {
			t.Errorf("%s: %v after %d rounds: %v", name, got.others, rounds, err)
		}
	}
	broken := errors.New("broken")
	rounds := 0
	_, err := quietest(t.Context(), 5, func(context.Context) (round, error) {
		if rounds++; rounds == 2 {
			return round{}, broken
		}
		return round{others: 1}, nil
	})
	if !errors.Is(err, broken) || rounds != 2 {
		t.Errorf("after %d rounds: %v", rounds, err)
	}
}
