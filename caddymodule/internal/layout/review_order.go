package layout

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const respond = "static_response" // of respond and redir

// reviewBehind looks at the handlers between a gateway and its service.
func reviewBehind(gateway jsontext.Value, behind []step) (all []Finding) {
	if slices.ContainsFunc(behind, func(p step) bool { return p.Name == gatewayHandler && !p.sometimes && sameTrail(gateway, p.Raw) }) {
		all = append(all, Finding{
			Refused: true, Found: "a second wsfev1 with the same trail stands behind it, and refuses what the first one lets pass",
			Cure: "keep one of the two",
		})
	}
	if asksBeforeService(behind) {
		all = append(all, Finding{
			Found: "authentication stands between wsfev1 and the service: clients without a password get a 502, and earlier answers from the trail",
			Cure:  "put basic_auth in front of wsfev1: outside the handle or route, or above it in a route",
		})
	}
	answering := slices.IndexFunc(behind, func(p step) bool { return !p.sometimes && answers(p.Name) && p.Name != gatewayHandler })
	if answering >= 0 && behind[answering].Name == respond && slices.ContainsFunc(behind[answering:], isService) {
		all = append(all, Finding{
			Refused: true, Found: "respond or redir stands in front of the service, and answers in its place",
			Cure: "give it a matcher, such as respond /status 200, or remove it",
		})
	}
	for _, p := range behind {
		if file := trailFile(gateway); p.Name == builtInHandler && file != "" && file == ledgerFile(p.Raw) {
			all = append(all, Finding{
				Refused: true, Found: "wsfev1_backend has its ledger in the file of the trail, " + file,
				Cure: "give the ledger a file of its own",
			})
		}
	}
	return all
}

// isService reports whether a handler is a service.
func isService(p step) bool {
	return p.Name == builtInHandler || p.forwards()
}

// asksBeforeService reports whether requests meet authentication on their way from a gateway to a service.
func asksBeforeService(behind []step) bool {
	asks := false
	for _, p := range behind {
		switch {
		case p.Name == authentication:
			asks = true
		case isService(p) && asks:
			return true
		case answers(p.Name) && !p.sometimes:
			return false
		case answers(p.Name):
			asks = false // it was for this handler
		}
	}
	return false
}

// sameTrail reports whether the options audit of two gateways are the same.
func sameTrail(one, other jsontext.Value) bool {
	return other != nil && bytes.Equal(auditOf(one), auditOf(other))
}

// stored is where a gateway or a built-in service keeps its data.
type stored struct {
	Store  string `json:"store"`
	Ledger string `json:"ledger"`
	Path   string `json:"path"`
}

// trailFile returns the SQLite file of a gateway's trail, empty if the option does not name one.
func trailFile(gateway jsontext.Value) string {
	var read stored
	if json.Unmarshal(auditOf(gateway), &read) != nil || read.Store != "sqlite" || read.Path == "" {
		return ""
	}
	return filepath.Clean(read.Path)
}

// ledgerFile returns the SQLite file of a built-in service's ledger, empty if the option does not name one.
func ledgerFile(service jsontext.Value) string {
	var read struct {
		Ledger stored `json:"ledger"`
	}
	if json.Unmarshal(service, &read) != nil || read.Ledger.Ledger != "sqlite" || read.Ledger.Path == "" {
		return ""
	}
	return filepath.Clean(read.Ledger.Path)
}

// reviewFront looks for handlers in a list of routes that answer every request before a gateway gets it. It looks
// at the gateways from the route at the index on.
func reviewFront(list []Route, from int) (all []Finding) {
	taken := "" // who answers
	for i, r := range list {
		here := taken
		for _, h := range r.Handlers {
			if i >= from && here != "" && hasGateway([]Route{{Handlers: []Handler{h}}}) {
				return append(all, Finding{
					Found: here + " stands in front of wsfev1 and answers every request: the gateway gets none",
					Cure:  "give it a matcher, or remove it",
				})
			}
			here = cmp.Or(here, takesAll(&h))
			if i >= from {
				all = append(all, reviewFront(h.Routes, 0)...)
			}
		}
		if len(r.Matchers) == 0 && r.Group == "" {
			taken = here // else it takes some requests alone
		}
	}
	return all
}

// takesAll returns the name of a handler that answers whatever it gets, empty for another one.
func takesAll(h *Handler) string {
	switch {
	case h.Name == respond:
		return "respond or redir"
	case h.forwards():
		return proxyHandler
	}
	return ""
}
