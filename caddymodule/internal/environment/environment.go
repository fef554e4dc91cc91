// Package environment tells which service an exchange was with, and so whether its invoices are valid.
//
// It is a package of its own because it knows the authority's addresses, which package audit does not, and because
// those that write records and those that read them must agree.
package environment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsaa/credential"
)

// Environment is a kind of service; empty if it is not known.
type Environment = audit.Environment

// The environments. Another service is one whose address does not tell, such as the authority's behind a
// proxy. No record names it.
const (
	Production             = audit.EnvironmentProduction
	Testing                = audit.EnvironmentTesting
	BuiltIn                = audit.EnvironmentBuiltIn
	Another    Environment = "another"
)

// order has the environments, first what counts most: an invoice of production is worth more than any test, and one
// of a service that is not known may be of production.
var order = map[Environment]int{Production: 0, Another: 1, "": 2, Testing: 3, BuiltIn: 4}

// Compare compares two environments: what counts more comes first.
func Compare(a, b Environment) int { return cmp.Compare(order[a], order[b]) }

// Of returns the environment of a record's service: the one that it names, else the one of its upstream. It is
// empty where the record has neither.
func Of(r *audit.Record) Environment {
	switch r.Environment {
	case Production, Testing, BuiltIn:
		return r.Environment
	}
	return OfUpstream(r.Upstream)
}

// OfUpstream returns the environment of a service by its address, empty for none.
func OfUpstream(upstream string) Environment {
	switch upstream {
	case "":
		return ""
	case audit.BuiltInUpstream:
		return BuiltIn
	}
	host, _, err := net.SplitHostPort(upstream)
	if err != nil {
		host = upstream
	}
	switch credential.ServiceEnvironment(host) {
	case credential.Production:
		return Production
	case credential.Testing:
		return Testing
	}
	return Another
}

// Find is Of for a record whose own text may not tell, as settlements, repeats and intents of builds before
// 2026-12: the other records of its exchange and the record whose answer it gives again are asked, too. It is empty
// if none of them tells.
func Find(ctx context.Context, store audit.Store, r *audit.Record) (Environment, error) {
	if of := Of(r); of != "" {
		return of, nil
	}
	if log, index, ok := audit.ParseAddress(r.Origin); ok {
		origin, err := store.Get(ctx, log, index)
		switch {
		case errors.Is(err, audit.ErrNotFound):
		case err != nil:
			return "", fmt.Errorf("reading the record %s: %w", r.Origin, err)
		case Of(origin) != "":
			return Of(origin), nil
		default:
			r = origin
		}
	}
	logs := []string{r.Log}
	if r.IntentLog != "" && r.IntentLog != r.Log {
		logs = append(logs, r.IntentLog)
	}
	for one, err := range audit.SearchLogs(ctx, store, logs, audit.Query{ID: r.ID, SummaryOnly: true}) {
		if err != nil {
			return "", fmt.Errorf("reading the other records of %s: %w", r.Address(), err)
		}
		if of := Of(one); of != "" {
			return of, nil
		}
	}
	return "", nil
}
