package binding_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/validate"
)

const (
	mib     = 1 << 20
	patient = 5 * time.Second
)

// dividedBudget is the memory of a gateway with clients of these names.
func dividedBudget(names ...string) *binding.MemoryBudget {
	budget, shares := binding.NewMemoryBudget(binding.DefaultMaxBodies), map[string]limit.Share{}
	for _, name := range names {
		shares[name] = limit.Share{}
	}
	for _, l := range budget.Limits() {
		l.Divide(shares)
	}
	return budget
}

// slowBody is a body that a client sends slowly: reading it ends when goOn is closed.
type slowBody struct {
	begun   sync.Once
	reading chan struct{} // closed when reading begins
	goOn    <-chan struct{}
}

func (b *slowBody) Read(p []byte) (int, error) {
	b.begun.Do(func() { close(b.reading) })
	<-b.goOn
	return 0, io.ErrUnexpectedEOF
}

func (*slowBody) Close() error { return nil }

// arrive admits a request of the client whose body of 4 MiB stays on its way until goOn is closed. It reports
// whether the body is being read once nothing else happens.
func arrive(t *testing.T, budget *binding.MemoryBudget, client string, goOn <-chan struct{}) (reading bool) {
	t.Helper()
	body := &slowBody{reading: make(chan struct{}), goOn: goOn}
	r := httptest.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, "/api/wsfev1/FECAESolicitar", body)
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = 4 * mib
	held := &binding.Reservation{Budget: budget, MaxWait: patient}
	go func() {
		defer held.Release()
		a := binding.Admission{Contract: validate.Base, MaxBody: binding.DefaultMaxBody, Reservation: held}
		a.Gate = func() *binding.Refusal {
			if client == "" {
				return nil
			}
			return held.Assign(client)
		}
		a.Admit(httptest.NewRecorder(), r)
	}()
	synctest.Wait()
	select {
	case <-body.reading:
		return true
	default:
		return false
	}
}

// TestSlowBodiesLeaveRoomForOthers: 40 bodies of 4 MiB, two and a half times the memory for bodies that arrive, take
// half of it if one client or nobody known sends them. The next sender has its body read at once.
func TestSlowBodiesLeaveRoomForOthers(t *testing.T) {
	for name, c := range map[string]struct {
		floods []string
		read   int // of 40 bodies of each
		passes bool
	}{
		"a client":               {[]string{"flood"}, 8, true},
		"nobody known":           {[]string{""}, 8, true},
		"two clients":            {[]string{"flood", "erp"}, 12, true},
		"a client and strangers": {[]string{"flood", ""}, 12, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				goOn := make(chan struct{})
				defer func() { close(goOn); synctest.Wait() }()
				budget, read := dividedBudget("flood", "erp", "shop"), 0
				for _, flood := range c.floods {
					for range 40 {
						if arrive(t, budget, flood, goOn) {
							read++
						}
					}
				}
				if read != c.read || arrive(t, budget, "shop", goOn) != c.passes {
					t.Errorf("%d bodies are being read, %v of the memory is taken", read, budget.Fullness())
				}
			})
		})
	}
}

// TestWithoutClientsBodiesArriveAsTheyCome: the memory is for all of it.
func TestWithoutClientsBodiesArriveAsTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		budget, read := binding.NewMemoryBudget(binding.DefaultMaxBodies), 0
		for range 40 {
			if arrive(t, budget, "", goOn) {
				read++
			}
		}
		if read != 16 || budget.Fullness() != 1 {
			t.Errorf("%d bodies are being read, %v of the memory is taken", read, budget.Fullness())
		}
		close(goOn)
		synctest.Wait()
		if budget.Fullness() != 0 {
			t.Errorf("in the end %v is taken", budget.Fullness())
		}
	})
}

// TestABodyCountsAsItsClientsOnceThatIsKnown: a client that is known by a ticket in its bodies takes no more than
// others, however fast they arrive. What it holds takes nothing from those whose client is not known yet.
func TestABodyCountsAsItsClientsOnceThatIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget, goOn := dividedBudget("erp", "shop"), make(chan struct{})
		defer func() { close(goOn); synctest.Wait() }()
		admitted := 0
		for range 20 {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/wsfev1/FECAESolicitar", strings.NewReader(strings.Repeat(" ", 4*mib)))
			r.Header.Set("Content-Type", "application/json")
			held := &binding.Reservation{Budget: budget, MaxWait: patient}
			a := binding.Admission{Contract: validate.Base, MaxBody: binding.DefaultMaxBody, Reservation: held}
			if _, _, refused := a.Admit(httptest.NewRecorder(), r); refused != nil {
				t.Fatal(refused)
			}
			refused := held.Assign("erp")
			if refused == nil {
				admitted++
				defer held.Release()
				continue
			}
			held.Release()
			if refused.Outcome != audit.OutcomeBusy || refused.RetryAfter == "" || !errors.Is(refused.Detail, limit.ErrShare) {
				t.Errorf("refused: %+v", refused)
			}
		}
		if admitted != 8 || !arrive(t, budget, "", goOn) || !arrive(t, budget, "shop", goOn) {
			t.Errorf("%d bodies of erp, %v of the memory is taken", admitted, budget.Fullness())
		}
	})
}

// TestNobodyWorksWhileItsClientWaits: a heavy body of a client that has to wait lets others' be judged meanwhile.
func TestNobodyWorksWhileItsClientWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := dividedBudget("erp", "shop")
		var all []*binding.Reservation
		for range runtime.GOMAXPROCS(0) {
			waiting := &binding.Reservation{Budget: budget, MaxWait: patient}
			if refused := waiting.Work(t.Context(), 100<<10); refused != nil {
				t.Fatal(refused)
			}
			if refused := waiting.Assign("erp"); refused != nil {
				t.Fatal(refused)
			}
			all = append(all, waiting)
		}
		for _, one := range all {
			if refused := one.Resume(t.Context()); refused != nil {
				t.Fatal(refused)
			}
			one.Release()
		}
		if budget.Fullness() != 0 {
			t.Errorf("%v is taken", budget.Fullness())
		}
	})
}
