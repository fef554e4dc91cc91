package caddymodule

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/admin"
	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/arca"
	"github.com/fielato/fielato/caddymodule/console"
	"github.com/fielato/fielato/caddymodule/gateway"
	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/outcome"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/caddymodule/login"
	"github.com/fielato/fielato/caddymodule/publiclog"
	"github.com/fielato/fielato/caddymodule/simulator"
	"github.com/fielato/fielato/caddymodule/stores"
)

// OptionText is an option of the Caddyfile as the reference shows it.
type OptionText struct {
	Name, Arguments, Meaning, Fallback string
	Repeatable                         bool
}

// OptionTables are the options that the parsers take, by the block that they stand in.
var OptionTables = map[string][]OptionText{
	"global":          textsOf(app.OptionTable),
	"wsfev1":          textsOf(gateway.OptionTable),
	"audit":           textsOf(trail.OptionTable),
	"client":          textsOf(access.ClientOptionTable),
	"reader":          textsOf(access.ReaderOptionTable),
	"wsaa":            textsOf(tickets.OptionTable),
	"audit postgres":  textsOf(stores.StoreOptionTable),
	"wsfev1_backend":  textsOf(simulator.OptionTable),
	"wsfev1_wsaa":     textsOf(login.OptionTable),
	"wsfev1_arca":     textsOf(arca.OptionTable),
	"wsfev1_console":  textsOf(console.OptionTable),
	"wsfev1_log":      textsOf(publiclog.OptionTable),
	"ledger postgres": textsOf(stores.LedgerOptionTable),
	"fault":           textsOf(simulator.FaultOptionTable),
}

func textsOf[T any](options []directive.Option[T]) (texts []OptionText) {
	for _, o := range options {
		texts = append(texts, OptionText{o.Name, o.Arguments, o.Meaning, o.Fallback, o.Repeatable})
	}
	return texts
}

// Collectors returns the collectors of the gateway and of the built-in services.
func Collectors() []prometheus.Collector {
	return slices.Concat(gateway.Collectors(), simulator.Collectors(), login.Collectors(), arca.Collectors())
}

// Outcomes are the words for what became of an exchange.
func Outcomes() []string { return outcome.Words(audit.Outcomes) }

// AdminPaths returns the paths of the admin API.
func AdminPaths() (paths []string) {
	for _, route := range new(admin.Admin).Routes() {
		paths = append(paths, route.Pattern)
	}
	return paths
}

// FaultKinds are the ways in which the built-in service fails on purpose.
func FaultKinds() []string { return simulator.FaultKinds() }
