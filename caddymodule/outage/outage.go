package outage

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/outcome"
)

// The outcomes of records of KindOutage. Both records of an outage have one ID, and its
// beginning as Time; Duration is how long it had lasted.
const (
	Began = "outage_began"
	Ended = "outage_ended"
)

// ScopeChanges is outageEvidence.Scope of an outage in which only what changes something
// had no answer.
const ScopeChanges = "changes"

// scope says what had no answer. Where the content of the record is not to be had, that is
// taken to be everything: the first answer of any kind then ends it.
func (e *outageEvidence) scope() Scope {
	if e.Scope == ScopeChanges {
		return Changes
	}
	return Everything
}

// Incident is a row of failures, which is one once they are enough.
type Incident struct {
	id string
	// Upstream is who was asked the last time, as reverse_proxy names it.
	Upstream string
	// class is that of the newest failure, no text where only a record tells of them.
	class string
	outageEvidence
}

// Newest returns the class of the newest failure. Records only count the classes: of what
// was before a restart it is the one that was met most.
func (o *Incident) Newest() string {
	if o.class != "" || o.Failures[outcome.FailureService] > o.Failures[outcome.FailureNetwork] {
		return cmp.Or(o.class, outcome.FailureService)
	}
	return outcome.FailureNetwork
}

// outageEvidence is the Detail of an outage's records, as JSON: where to find what shows
// that it was one.
type outageEvidence struct {
	// Service is the breaker's name.
	Service string `json:"service,omitzero"`
	// Scope is changes where questions were answered meanwhile, no text where nothing was.
	Scope string `json:"scope,omitzero"`
	// Failures counts the exchanges to which no answer came so far, by class.
	Failures map[string]int `json:"failures"`
	// First and Last are the addresses of the records of the first and the last failure;
	// of a request that changes something it is that of its intent. Answer is that of
	// the answer that ended it. No text where an exchange has no record.
	First  string `json:"first,omitzero"`
	Last   string `json:"last,omitzero"`
	Answer string `json:"answer,omitzero"`
}

// Count returns how many failures there were.
func (e *outageEvidence) Count() (all int) {
	for _, n := range e.Failures {
		all += n
	}
	return all
}

// add notes one more failure.
func (o *Incident) add(s Observation) {
	if o.id == "" {
		o.id, o.Failures, o.First = rand.Text(), map[string]int{}, s.Record
	}
	o.Failures[s.Class]++
	o.Last, o.Upstream, o.class = s.Record, s.Upstream, s.Class
}

// record returns what is kept of the outage.
func (o *Incident) record(outcome, log string, began time.Time, took time.Duration) (*audit.Record, error) {
	detail, err := json.Marshal(&o.outageEvidence, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("writing what shows an outage: %w", err)
	}
	return &audit.Record{
		Kind: audit.KindOutage, ID: o.id, Time: began, Duration: took, Node: log,
		Outcome: outcome, Upstream: o.Upstream, Detail: string(detail),
	}, nil
}

// Read reads an outage off its record. Where the content is not to be had, nothing
// is known but that it was.
func Read(r *audit.Record) (*Incident, error) {
	o := &Incident{id: r.ID, Upstream: r.Upstream}
	o.Failures = map[string]int{}
	if r.Presence != audit.Present {
		return o, nil
	}
	if err := json.Unmarshal([]byte(r.Detail), &o.outageEvidence); err != nil {
		return nil, fmt.Errorf("reading the outage in record %s/%s: %w", r.Log, strconv.FormatUint(r.Index, 10), err)
	}
	return o, nil
}

// ScopeEverything names the scope that outageEvidence.Scope has no text for.
const ScopeEverything = "everything"
