package simulator

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// maxFaults bounds a list: each request is compared with every fault on it.
const maxFaults = 100

// FaultList is the faults that a configuration declares, or the admin API sets.
type FaultList struct {
	// Seed seeds the generators, one for each fault.
	Seed   uint32
	Faults []Fault
}

// Injector decides which fault hits which request.
type Injector struct {
	Seed uint32

	mu sync.Mutex // guards the counts and the random draws of the faults
	// faults never change: another list has another Injector.
	faults []*armedFault
}

// NewInjector checks a list. An empty list makes an Injector that does nothing.
func NewInjector(list FaultList) (*Injector, error) {
	if len(list.Faults) > maxFaults {
		return nil, fmt.Errorf("%d faults: at most %d are allowed", len(list.Faults), maxFaults)
	}
	j := &Injector{Seed: list.Seed}
	for i, f := range list.Faults {
		armed, err := f.arm(list.Seed, i)
		if err != nil {
			return nil, fmt.Errorf("fault %d: %w", i+1, err)
		}
		j.faults = append(j.faults, armed)
	}
	return j, nil
}

// decide returns the injection for a request, nil if no fault hits it. The faults are tried in
// the order of the list. The first that hits is the only one: those after it do not see the
// request. last: the fault has hit for the last time.
func (j *Injector) decide(request *validate.Request) (i *injection, last bool) {
	if len(j.faults) == 0 {
		return nil, false
	}
	subject := wsfev1.SubjectOf(request.Body)
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, f := range j.faults {
		if f.remaining() == 0 || !f.matches(request.Operation.Name, subject) {
			continue
		}
		f.matched++
		if f.matched <= f.After || f.random.Float64() >= f.probability() {
			continue
		}
		f.struck++
		i := &injection{request: request, kind: f.kind, commit: f.commit}
		if f.delay != nil {
			i.delay = f.delay(f.random)
		}
		return i, f.remaining() == 0
	}
	return nil, false
}

// FaultState is a fault and its counts.
type FaultState struct {
	Fault
	// Matched and Struck count requests since the list was set.
	Matched int64 `json:"matched"`
	Struck  int64 `json:"struck"`
}

// States returns the faults and their counts, in the order of the list.
func (j *Injector) States() []FaultState {
	j.mu.Lock()
	defer j.mu.Unlock()
	states := make([]FaultState, len(j.faults))
	for i, f := range j.faults {
		states[i] = FaultState{f.Fault, f.matched, f.struck}
	}
	return states
}

// Active returns the kinds of the faults that may still hit a request.
func (j *Injector) Active() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var kinds []string
	for _, f := range j.faults {
		if f.remaining() > 0 {
			kinds = append(kinds, f.Kind)
		}
	}
	return kinds
}

// injection is a fault applied to one request.
type injection struct {
	board   *FaultBoard
	ctx     context.Context // the request's
	request *validate.Request
	kind    *faultKind
	commit  bool
	delay   time.Duration
}

// serve answers a request that the fault hits. carryOut answers it correctly. It is called
// before the delay, so that the ledger has its effect when the client gives up waiting.
func (i *injection) serve(w http.ResponseWriter, r *http.Request, carryOut func() (binding.Reply, error)) error {
	i.ctx = r.Context()
	var right binding.Reply
	if i.commit {
		var err error
		if right, err = carryOut(); err != nil {
			return err
		}
	}
	if i.delay > 0 && !i.board.wait(i.ctx, i.delay) {
		return i.cut(w, right)
	}
	return i.kind.act(i, w, right)
}

// say sends one of the service's own answers.
func (i *injection) say(w http.ResponseWriter, answer any) error {
	r, err := answerReply(answer)
	if err != nil {
		return caddyhttp.Error(http.StatusInternalServerError, err)
	}
	return r.Write(w)
}
