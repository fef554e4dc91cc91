package simulator

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/wsfev1"
)

// Fault is something that the built-in service does wrong on purpose, to test that a
// client, or the gateway in front, copes with it. A seeded generator decides which
// requests it hits: the same requests in the same order meet the same faults.
//
// Kind | Effect on the client | Is the request carried out?
// -----|----------------------|---------------------------
// `drop` | the connection is cut without an answer | yes, or as `commit` says
// `hang` | no answer, until the client or the server goes | yes, or as `commit` says
// `html_502` | status 502 with an HTML page, as a proxy in between writes it | yes, or as `commit` says
// `truncate` | the answer breaks off in mid-body | yes
// `not_json` | status 200 with a body that is no JSON | yes, or as `commit` says
// `delay` | the right answer, late | yes
// `error_500`, `error_501`, `error_502` | the service's own error of that code | no, or as `commit` says
// `expired_ticket` | 600: the access ticket has expired | no
// `dummy_only` | FEDummy says OK, all other operations 501 | no
// `slow_tables` | FEParamGet* answer rightly, but late | yes
//
// A request that the service refuses for its shape meets no fault.
type Fault struct {
	// Kind is what goes wrong, one of the table above.
	Kind string `json:"kind"`

	// Operations are the operations that it hits. Default: all that the kind applies to.
	Operations []string `json:"operations,omitempty"`

	// Cuit, PtoVta, CbteTipo and Nro limit the fault to requests with this issuer,
	// point of sale, type of voucher or number. Default: any.
	Cuit     directive.CUIT `json:"cuit,omitzero"`
	PtoVta   int32          `json:"pto_vta,omitzero"`
	CbteTipo int32          `json:"cbte_tipo,omitzero"`
	Nro      int64          `json:"nro,omitzero"`

	// Probability is the probability of hitting a matching request, above 0 and at
	// most 1. Default: 1.
	Probability *float64 `json:"probability,omitempty"`

	// After is how many matching requests pass before the first hit. Default: 0.
	After int64 `json:"after,omitzero"`

	// Count is how many requests it hits at most; 0 is no limit. Default: 0.
	Count int64 `json:"count,omitzero"`

	// Delay is how long the service waits after carrying out the request, before
	// something goes wrong: `fixed 2s`, `uniform 1s 5s` or `lognormal 1s 0.5` (median,
	// and sigma of the logarithm). It is ten minutes at most. The kinds `delay` and
	// `slow_tables` require it, the others allow it.
	Delay string `json:"delay,omitempty"`

	// Commit is whether the request is carried out, for the kinds that leave it
	// open. Default: by kind.
	Commit *bool `json:"commit,omitempty"`
}

// armedFault is a fault that was checked and can be injected. Fields without a comment never
// change.
type armedFault struct {
	Fault
	kind       *faultKind
	operations map[string]bool
	commit     bool
	delay      delayLaw

	// random, matched and struck are guarded by the Injector's mutex.
	random *rand.Rand
	// matched counts the requests that matched, struck those that were hit.
	matched, struck int64
}

// arm checks a fault. Its generator is seeded by the seed and its position in the list, so that
// a change to one fault leaves the others as they were.
func (f Fault) arm(seed uint32, place int) (*armedFault, error) {
	kind := faultKindByName(f.Kind)
	if kind == nil {
		return nil, fmt.Errorf("unknown kind %q: use %s", f.Kind, strings.Join(FaultKinds(), ", "))
	}
	a := &armedFault{
		Fault: f, kind: kind, operations: map[string]bool{}, commit: kind.commits,
		random: rand.New(rand.NewPCG(uint64(seed), uint64(place))), //nolint:gosec // faults must be repeatable
	}
	for _, check := range []func() error{a.checkNumbers, a.bindOperations, a.bindCommit, a.bindDelay} {
		if err := check(); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Kind, err)
		}
	}
	return a, nil
}

func (a *armedFault) checkNumbers() error {
	// The comparison is written so that it fails for NaN too.
	if p := a.Probability; p != nil && !(*p > 0 && *p <= 1) {
		return fmt.Errorf("probability %v: give more than 0 and at most 1", *p)
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"after", a.After},
		{"count", a.Count},
		{"pto_vta", int64(a.PtoVta)},
		{"cbte_tipo", int64(a.CbteTipo)},
		{"nro", a.Nro},
	} {
		if n.value < 0 {
			return fmt.Errorf("%s %d: give no negative number", n.name, n.value)
		}
	}
	if a.Cuit == 0 {
		return nil
	}
	if err := a.Cuit.Check(); err != nil {
		return fmt.Errorf("cuit %w", err)
	}
	return nil
}

func (a *armedFault) bindOperations() error {
	for _, op := range wsfev1.Operations {
		if a.kind.applies(op) && (len(a.Operations) == 0 || slices.Contains(a.Operations, op.Name)) {
			a.operations[op.Name] = true
		}
	}
	for _, name := range a.Operations {
		if wsfev1.OperationByName(name) == nil {
			return fmt.Errorf("operation %q: no such operation; names are exact, such as FECAESolicitar", name)
		}
		if !a.operations[name] {
			return fmt.Errorf("operation %s: this kind never strikes it", name)
		}
	}
	return nil
}

func (a *armedFault) bindCommit() error {
	switch {
	case a.Commit == nil:
		return nil
	case !a.kind.choosesCommit:
		return errors.New("commit: this kind leaves no choice")
	}
	a.commit = *a.Commit
	return nil
}

func (a *armedFault) bindDelay() (err error) {
	if a.Delay == "" {
		if a.kind.needsDelay {
			return fmt.Errorf("no delay: %s", delayForms)
		}
		return nil
	}
	a.delay, err = parseDelay(a.Delay)
	return err
}

// matches reports whether the fault may hit a request.
func (a *armedFault) matches(operation string, subject wsfev1.Subject) bool {
	return a.operations[operation] &&
		(a.Cuit == 0 || a.Cuit == directive.CUIT(subject.Cuit)) &&
		(a.PtoVta == 0 || a.PtoVta == subject.PtoVta) &&
		(a.CbteTipo == 0 || a.CbteTipo == subject.CbteTipo) &&
		(a.Nro == 0 || slices.ContainsFunc(subject.Invoices, func(r wsfev1.InvoiceRange) bool {
			return r.CbteDesde <= a.Nro && a.Nro <= r.CbteHasta
		}))
}

// probability returns Probability or its default.
func (a *armedFault) probability() float64 {
	if a.Probability == nil {
		return 1
	}
	return *a.Probability
}

// remaining returns how many requests the fault may still hit.
func (a *armedFault) remaining() int64 {
	if a.Count == 0 {
		return math.MaxInt64
	}
	return a.Count - a.struck
}
