package reading

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
	"github.com/fielato/fielato/internal/audittest"
)

// followed is a tail of a log in memory, whose ticks the test gives.
type followed struct {
	t     *testing.T
	trail *audit.Writer
	ticks chan time.Time
	shown []uint64 // by the tail's goroutine, which has rested once look returns
	ended chan error
	stop  context.CancelFunc
}

func follow(t *testing.T, w audit.Query, newest int, before ...*audit.Record) *followed {
	t.Helper()
	store := audittest.NewMemory()
	key, err := audittest.NewKey("gateway-1")
	if err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(t.Context(), store, "gateway-1", key, audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	f := &followed{t: t, trail: trail, ticks: make(chan time.Time), ended: make(chan error, 1), stop: stop}
	f.append(before...)
	following := &tail{store: store, logs: []string{"gateway-1"}, wanted: w, show: func(e view.Entry) error {
		f.shown = append(f.shown, e.At.Index)
		return nil
	}}
	go func() { f.ended <- following.run(ctx, newest, f.ticks) }()
	return f
}

func (f *followed) append(records ...*audit.Record) {
	f.t.Helper()
	for _, r := range records {
		if _, err := f.trail.Append(f.t.Context(), r); err != nil {
			f.t.Fatal(err)
		}
	}
}

// look makes the tail look once: the second tick is taken when the first is done.
func (f *followed) look(want ...uint64) {
	f.t.Helper()
	f.ticks <- time.Time{}
	f.ticks <- time.Time{}
	f.stopIfWrong(want)
}

func (f *followed) stopIfWrong(want []uint64) {
	f.t.Helper()
	if !reflect.DeepEqual(f.shown, want) {
		f.t.Fatalf("shown %v, want %v", f.shown, want)
	}
}

func exchangeOf(operation string, outcome audit.Outcome) *audit.Record {
	return &audit.Record{Kind: audit.KindExchange, Time: time.Unix(1, 0), Operation: operation, Outcome: outcome}
}

// TestTailFollows: the newest first of all, oldest first, then each once.
func TestTailFollows(t *testing.T) {
	f := follow(t, audit.Query{}, 2, exchangeOf("FEDummy", "answered"), exchangeOf("FEDummy", "answered"), exchangeOf("FEDummy", "answered"))
	f.look(1, 2)
	f.look(1, 2)
	f.append(exchangeOf("FEDummy", "answered"), &audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar", Time: time.Unix(2, 0)})
	f.look(1, 2, 3)
	f.append(&audit.Record{Kind: audit.KindOutcome, Intent: 4, Operation: "FECAESolicitar", Outcome: "approved", Time: time.Unix(2, 0)})
	f.look(1, 2, 3, 5)
	f.stop()
	if err := <-f.ended; err != nil {
		t.Errorf("interrupted: %v", err)
	}
}

// TestTailShowsWhatIsWanted, of the newest and of what follows; -n 0 begins with none.
func TestTailShowsWhatIsWanted(t *testing.T) {
	refusals := audit.Query{Outcome: audit.OutcomeRefused, Finding: "10048"}
	refusal := func(code string) *audit.Record {
		r := exchangeOf("FECAESolicitar", audit.OutcomeRefused)
		r.Findings = []audit.Finding{{Code: code}}
		return r
	}
	f := follow(t, refusals, 10, refusal("10048"), exchangeOf("FEDummy", "answered"), refusal("10016"))
	f.look(0)
	f.append(refusal("10016"), refusal("10048"), exchangeOf("FEDummy", "answered"))
	f.look(0, 4)

	f = follow(t, audit.Query{}, 0, exchangeOf("FEDummy", "answered"))
	f.look()
	f.append(exchangeOf("FEDummy", "answered"))
	f.look(1)
}

// TestTailFollowsSeveralLogs: what there was by time, then what comes.
func TestTailFollowsSeveralLogs(t *testing.T) {
	store := audittest.NewMemory()
	logs := []string{"north", "south"}
	add := func(log string, second int) {
		r := &audit.Record{Kind: audit.KindExchange, Time: time.Unix(int64(second), 0)}
		if err := store.Commit(t.Context(), audittest.Seal(t, store, log, r)); err != nil {
			t.Fatal(err)
		}
	}
	for second, log := range []string{"south", "north", "north", "south"} {
		add(log, second)
	}
	var shown []string
	following := &tail{store: store, logs: logs, show: func(e view.Entry) error {
		shown = append(shown, e.At.Address())
		return nil
	}}
	if err := following.showNewest(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	look := func(want ...string) {
		t.Helper()
		if err := following.followLogs(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(shown, want) {
			t.Errorf("shown %v, want %v", shown, want)
		}
		shown = nil
	}
	add("south", 10)
	add("north", 11)
	add("east", 12)
	look("north/0", "north/1", "south/1", "north/2", "south/2") // it was to follow two logs
	following.newLogs = true
	look("east/0")
	add("east", 13)
	add("west", 14)
	add("west", 15)
	look("east/1", "west/0", "west/1")
}
