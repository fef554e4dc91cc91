package search

import (
	"maps"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/caddymodule/internal/when"
	"github.com/fielato/fielato/wsfev1"
)

// filters are the filters of `audit search`, in the order of the form.
var filters = []filter{
	{name: "since", read: func(r *request, value string, now time.Time) bool {
		t, err := when.Since(value, now)
		if t.After(r.Query.Since) {
			r.Query.Since = t
		}
		return err == nil
	}},
	{name: "until", read: func(r *request, value string, now time.Time) bool {
		t, err := when.Until(value, now)
		if err == nil && (r.Query.Until.IsZero() || t.Before(r.Query.Until)) {
			r.Query.Until = t
		}
		return err == nil && (r.Query.Since.IsZero() || r.Query.Until.After(r.Query.Since))
	}},
	{name: "cuit", read: func(r *request, value string, _ time.Time) bool {
		cuit, err := wsfev1.ParseCUIT(value)
		return err == nil && once(&r.Query.Cuit, cuit)
	}},
	{name: "receiver", read: func(r *request, value string, _ time.Time) bool {
		receiver, err := audit.ParseReceiver(value)
		return err == nil && once(&r.Query.Receiver, receiver)
	}},
	{name: "cbte-tipo", read: func(r *request, value string, now time.Time) bool {
		read := ofNumber("", 32, func(q *audit.Query) *int32 { return &q.CbteTipo }).read(r, value, now)
		if read && len(r.Query.CbteTipos) > 0 { // the class of the box
			read, r.Query.CbteTipos = slices.Contains(r.Query.CbteTipos, r.Query.CbteTipo), nil
		}
		return read
	}},
	ofNumber("pto-vta", 32, func(q *audit.Query) *int32 { return &q.PtoVta }),
	ofNumber("nro", 64, func(q *audit.Query) *int64 { return &q.Number }),
	ofText("cae", func(q *audit.Query) *string { return &q.Code }),
	ofWord("outcome", append(append(outcome.Words(audit.Outcomes), outcome.Open, string(outage.Began), string(outage.Ended)), trail.AccessOutcomes...),
		func(q *audit.Query) *string { return (*string)(&q.Outcome) }),
	ofText("finding", func(q *audit.Query) *string { return &q.Finding }),
	ofWord("operation", operations(), func(q *audit.Query) *string { return &q.Operation }),
	ofWord("resultado", []string{wsfev1.Aprobado, wsfev1.Rechazado, wsfev1.Parcial}, func(q *audit.Query) *string { return &q.Resultado }),
	ofWord("certainty", []string{string(audit.Answered), string(audit.NotSent), string(audit.Unknown)},
		func(q *audit.Query) *string { return (*string)(&q.Certainty) }),
	ofWord("decision", outcome.Words(audit.Decisions), func(q *audit.Query) *string { return (*string)(&q.Decision) }),
	{name: "kind", words: slices.Sorted(maps.Keys(kindNames())), read: func(r *request, value string, _ time.Time) bool {
		return once(&r.Query.Kind, kindNames()[value])
	}},
	ofNumber("status", 32, func(q *audit.Query) *int { return &q.Status }),
	{name: "min-duration", read: func(r *request, value string, _ time.Time) bool {
		d, err := caddy.ParseDuration(value)
		return err == nil && d > 0 && once(&r.Query.MinDuration, d)
	}},
	ofText("client", func(q *audit.Query) *string { return &q.ClientAddress }),
	ofText("identity", func(q *audit.Query) *string { return &q.ClientIdentity }),
	ofText("client-row", func(q *audit.Query) *string { return &q.ClientRow }),
	ofText("upstream", func(q *audit.Query) *string { return &q.Upstream }),
	ofText("node", func(q *audit.Query) *string { return &q.Node }),
	ofText("id", func(q *audit.Query) *string { return &q.ID }),
	{name: "trace", read: func(r *request, value string, _ time.Time) bool {
		id, err := audit.ParseTraceID(value)
		return err == nil && once(&r.Query.TraceID, id)
	}},
	{name: "log", read: func(r *request, value string, _ time.Time) bool { return once(&r.log, value) }},
}

// kindNames are the kinds of record that can be asked for.
func kindNames() map[string]audit.Kind {
	all := map[string]audit.Kind{}
	for kind := audit.KindExchange; kind <= audit.KindOutage; kind++ {
		all[kind.String()] = kind
	}
	return all
}

// operations are the names of all operations.
func operations() (names []string) {
	for _, op := range wsfev1.Operations {
		names = append(names, op.Name)
	}
	return names
}
