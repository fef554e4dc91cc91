package main

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fielato/fielato/cmd/fielato-bench/internal/floor"
)

// target is one way from the client to the answer.
type target struct {
	name  string // on the command line and in JSON
	title string // in the table
	about string
	role  string // what its process plays
	// handlers is what its Caddyfile has in the site; nil where it is no Caddy.
	handlers func(upstream, folder string) string
	// form is the form of its requests, nil for JSON.
	form *form
	// pages are the console's pages that somebody reads all the time, nil without one.
	pages []string
	// promises are checked before anything is measured.
	promises promises
}

// plainName is the target that the ratios are of. againName is the same once more: the ratio of the
// two is the noise.
const plainName, againName = "plain", "plain2"

// floorName is the target that shows what any durable gateway must pay.
const floorName = "floor"

// allTargets are measured and listed in this order.
var allTargets = []target{
	{
		name: plainName, title: "Caddy reverse_proxy", role: roleCaddy, handlers: forward,
		about: "Caddy's reverse_proxy and nothing else: what the ratios are of",
	},
	{
		name: againName, title: "the same again", role: roleCaddy, handlers: forward,
		about: "the same again: its ratio to plain is the noise",
	},
	{
		name: floorName, title: "the floor", role: roleCaddy,
		about: "request and answer each synced to the disk, and nothing else: what durability costs",
		handlers: func(upstream, folder string) string {
			return durable(folder) + forward(upstream, folder)
		},
		promises: promises{syncs: true},
	},
	{
		name: "observe", title: "gateway, observe", role: roleCaddy,
		about: "the gateway, mode observe, with its trail; replay, recover and sequence off",
		handlers: func(upstream, folder string) string {
			return gateway(folder, "mode observe", "replay off", "recover off", "sequence off") + forward(upstream, folder)
		},
		promises: promises{shape: true, records: true},
	},
	{
		name: "enforce", title: "gateway, enforce", role: roleCaddy,
		about:    "the gateway as it is by default: mode enforce, trail, exactly once",
		handlers: enforce,
		promises: promises{shape: true, rules: true, records: true, replays: true},
	},
	{
		name: "soap", title: "gateway, enforce, SOAP", role: roleCaddy, form: soapForm, handlers: enforce,
		about:    "the same as enforce, for clients that speak SOAP; the upstream gets JSON",
		promises: promises{shape: true, rules: true, records: true, replays: true},
	},
	{
		name: "plainsoap", title: "Caddy reverse_proxy, SOAP", role: roleCaddy, form: soapForm, handlers: forward,
		about: "Caddy's reverse_proxy and nothing else, for clients that speak SOAP; so does the upstream",
	},
	{
		name: "tosoap", title: "gateway, enforce, JSON to SOAP", role: roleCaddy,
		about: "the same as enforce, with wsfev1_arca: the upstream gets SOAP",
		handlers: func(upstream, folder string) string {
			return gateway(folder) + toSOAP(upstream)
		},
		promises: promises{shape: true, rules: true, records: true, replays: true},
	},
	{
		name: "soaptosoap", title: "gateway, enforce, SOAP to SOAP", role: roleCaddy, form: soapForm,
		about: "the same, for clients that speak SOAP too",
		handlers: func(upstream, folder string) string {
			return gateway(folder) + toSOAP(upstream)
		},
		promises: promises{shape: true, rules: true, records: true, replays: true},
	},
	{
		name: "builtin", title: "gateway, built-in service", role: roleCaddy,
		about: "the gateway as it is by default, and the built-in service with its ledger in place of the upstream",
		handlers: func(_, folder string) string {
			return gateway(folder) + "\twsfev1_backend {\n\t\tledger sqlite " + filepath.Join(folder, "ledger.db") + "\n\t}\n"
		},
		promises: promises{shape: true, rules: true, records: true, replays: true},
	},
	{
		name: "console", title: "gateway, enforce, with a reader", role: roleCaddy, pages: consolePages,
		about: "the same as enforce, and somebody who reads the pages of the console one after another",
		handlers: func(upstream, folder string) string {
			return "\twsfev1_console\n" + enforce(upstream, folder)
		},
		promises: promises{shape: true, rules: true, records: true, replays: true, shows: true},
	},
	{
		name: "httputil", title: "net/http/httputil", role: roleProxy,
		about: "the ReverseProxy of Go's standard library",
	},
	{
		name: "openapi", title: "httputil + kin-openapi", role: roleOpenAPI,
		about:    "the same, behind kin-openapi, which checks requests by the interface's OpenAPI document",
		promises: promises{shape: true},
	},
}

// wire returns the form of its requests.
func (t target) wire() *form {
	if t.form == nil {
		return jsonForm
	}
	return t.form
}

// targetsNamed returns the targets that a list names, all for an empty one.
func targetsNamed(list string) ([]target, error) {
	if list == "" {
		return allTargets, nil
	}
	var chosen []target
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(allTargets, func(t target) bool { return t.name == strings.TrimSpace(name) })
		if i < 0 || slices.ContainsFunc(chosen, func(t target) bool { return t.name == allTargets[i].name }) {
			return nil, fmt.Errorf("-targets %s: give each of these once at most, separated by commas: %s", list, targetNames())
		}
		chosen = append(chosen, allTargets[i])
	}
	return chosen, nil
}

func targetNames() string {
	var names []string
	for _, t := range allTargets {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}

// floorFile is where the floor keeps requests and answers, in its folder.
func floorFile(folder string) string { return filepath.Join(folder, "floor.log") }

// durable is the floor's directive.
func durable(folder string) string { return "\t" + floor.Caddyfile(floorFile(folder)) + "\n" }

// gateway is the directive with its trail in folder.
func gateway(folder string, options ...string) string {
	options = append(options, "audit sqlite "+filepath.Join(folder, "audit.db"))
	return "\twsfev1 {\n\t\t" + strings.Join(options, "\n\t\t") + "\n\t}\n"
}

// enforce is the gateway as it is by default, in front of an upstream.
func enforce(upstream, folder string) string { return gateway(folder) + forward(upstream, folder) }

// idleConnections is how many connections to the upstream every proxy keeps. With fewer
// than the client has, all would measure how fast connections are opened.
const idleConnections = maxConnections

func forward(upstream, _ string) string {
	return fmt.Sprintf("\treverse_proxy http://%s {\n\t\ttransport http {\n\t\t\tkeepalive_idle_conns %[2]d\n\t\t\tkeepalive_idle_conns_per_host %[2]d\n\t\t}\n\t}\n",
		upstream, idleConnections)
}

func toSOAP(upstream string) string {
	return fmt.Sprintf("\twsfev1_arca http://%s {\n\t\tkeepalive_idle_conns %[2]d\n\t\tkeepalive_idle_conns_per_host %[2]d\n\t}\n",
		upstream, idleConnections)
}

// caddyfile is a configuration with one site.
func caddyfile(address, handlers string) string {
	host, _, _ := net.SplitHostPort(address)
	return fmt.Sprintf("{\n\tadmin off\n\tpersist_config off\n\tauto_https off\n\tlog {\n\t\tlevel ERROR\n\t}\n}\nhttp://%s {\n\tbind %s\n%s}\n",
		address, host, handlers)
}
