package outage

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
)

// The outcomes of records of audit.KindOutage. Both records of an outage have the same ID,
// and its beginning as Time; Duration is how long it had lasted.
const (
	Began = outcome.OutageBegan
	Ended = outcome.OutageEnded
)

// ScopeChanges is outageEvidence.Scope of an outage with the scope Changes.
const ScopeChanges = "changes"

// scope returns what was not answered. If the content of the record is not available it is
// Everything: the first answer of any kind then ends the outage.
func (e *outageEvidence) scope() Scope {
	if e.Scope == ScopeChanges {
		return Changes
	}
	return Everything
}

// Incident is a streak of failures: an outage, once they are enough.
type Incident struct {
	id string
	// Upstream is the last one that failed, as reverse_proxy names it.
	Upstream string
	// class is the class of the newest failure, empty if it is only known from a record.
	class audit.Failure
	// came is what came last in place of an answer.
	came string
	outageEvidence
}

// Newest returns the class of the newest failure. Records only count the classes: after a
// restart it is the most frequent one.
func (o *Incident) Newest() audit.Failure {
	if o.class != "" || o.Failures[audit.FailureService] > o.Failures[audit.FailureNetwork] {
		return cmp.Or(o.class, audit.FailureService)
	}
	return audit.FailureNetwork
}

// outageEvidence is the Detail of an outage's records, as JSON: the failures, and where their
// records are.
type outageEvidence struct {
	// Service is the breaker's name.
	Service string `json:"service,omitzero"`
	// Scope is changes if queries were still answered, empty if nothing was.
	Scope string `json:"scope,omitzero"`
	// Failures counts the exchanges without an answer so far, by class.
	Failures map[audit.Failure]int `json:"failures"`
	// First and Last are the addresses of the records of the first and the last failure; for
	// a request that changes something, the address of its intent. Answer is the address of
	// the answer that ended the outage. An address is empty if the exchange has no record.
	First  string `json:"first,omitzero"`
	Last   string `json:"last,omitzero"`
	Answer string `json:"answer,omitzero"`
}

// Count returns the number of failures.
func (e *outageEvidence) Count() (all int) {
	for _, n := range e.Failures {
		all += n
	}
	return all
}

// add counts one more failure.
func (o *Incident) add(s Observation) {
	if o.id == "" {
		o.id, o.Failures, o.First = rand.Text(), map[audit.Failure]int{}, s.Record
	}
	o.Failures[s.Class]++
	o.Last, o.Upstream, o.class, o.came = s.Record, s.Upstream, s.Class, s.Came
}

// record returns the record of the outage with the given outcome.
func (o *Incident) record(outcome audit.Outcome, log string, began time.Time, took time.Duration) (*audit.Record, error) {
	detail, err := json.Marshal(&o.outageEvidence, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("writing what shows an outage: %w", err)
	}
	return &audit.Record{
		Kind: audit.KindOutage, ID: o.id, Time: began, Duration: took, Node: log,
		Outcome: outcome, Upstream: o.Upstream, Detail: string(detail),
	}, nil
}

// Read returns the outage of a record. If the content of the record is not available, only
// its ID and upstream are known.
func Read(r *audit.Record) (*Incident, error) {
	o := &Incident{id: r.ID, Upstream: r.Upstream}
	o.Failures = map[audit.Failure]int{}
	if r.Presence != audit.Present || r.Detail == "" {
		return o, nil
	}
	if err := json.Unmarshal([]byte(r.Detail), &o.outageEvidence); err != nil {
		return nil, fmt.Errorf("reading the outage in record %s/%s: %w", r.Log, strconv.FormatUint(r.Index, 10), err)
	}
	return o, nil
}

// ScopeEverything is the text for the scope for which outageEvidence.Scope is empty.
const ScopeEverything = "everything"
