package layout

import "slices"

// reviewPaths looks for requests that go past the gateways in a list of routes, which next follows: to the
// service, without a record, or to nothing, with an empty answer.
func (s *site) reviewPaths(list []Route, next []step) (all []Finding) {
	for i, r := range list {
		if !hasGateway(list[i : i+1]) {
			continue
		}
		after := append(s.flatten(list[i+1:], r.groups(nil), false), next...)
		if slices.ContainsFunc(r.Matchers, func(m string) bool { return m != "host" }) {
			if f, found := pastGateway(after, r.terminal); found {
				all = append(all, f)
			} else if !answersAll(list) && !slices.ContainsFunc(next, func(p step) bool { return !p.sometimes && answers(p.Name) }) {
				all = append(all, Finding{
					Found: "wsfev1 gets some paths alone, and no handler takes the others: their clients get an empty answer with status 200",
					Cure:  "put a last handle { respond 404 } into the site, or leave the matcher of wsfev1 out",
				})
			}
		}
		for _, h := range r.Handlers {
			all = append(all, s.reviewPaths(h.Routes, after)...)
		}
	}
	return all
}

// pastGateway looks for a reverse_proxy that gets the requests which the matcher of a gateway leaves out.
func pastGateway(after []step, terminal bool) (Finding, bool) {
	if terminal || !slices.ContainsFunc(after, func(p step) bool { return p.Name == proxyHandler && !p.sometimes && !p.GoesOn() }) {
		return Finding{}, false
	}
	return Finding{
		Found: "wsfev1 has a matcher and reverse_proxy behind it has none: requests for other paths reach the service unchecked and without a record",
		Cure:  "leave the matcher of wsfev1 out, or put both into one handle with it",
	}, true
}

// answersAll reports whether a route of the list takes every request that no other takes.
func answersAll(list []Route) bool {
	return slices.ContainsFunc(list, func(r Route) bool {
		return len(r.Matchers) == 0 && slices.ContainsFunc(r.Handlers, func(h Handler) bool {
			return h.Name == subroute && answersAll(h.Routes) || h.Name != subroute && answers(h.Name)
		})
	})
}

// answers reports whether a handler answers: all but those that always hand requests on. A gateway answers
// what it does not hand on.
func answers(name string) bool { return name == gatewayHandler || !slices.Contains(passing, name) }
