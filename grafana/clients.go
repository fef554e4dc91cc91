package grafana

// clients is about who sends how much, and what of it is turned away (options client and clients). All of it
// is empty without these options. There may be thousands of clients, so panels show twenty of them at a time.
func clients() []Panel {
	return []Panel{
		{
			Title: "Requests by client", Unit: "reqps", Stack: true,
			Description: "Requests of the twenty clients that send most, admitted or not.",
			Queries:     one(`topk(20, sum by (client) (rate(wsfev1_client_requests_total{$own}[$__rate_interval]))) > 0`, "{{client}}"),
		},
		{
			Title: "Turned away, by client and cause", Unit: "reqps",
			Description: "Requests that were not admitted: too many for the client's rate or share, or the right that is missing (cuits, may, pto_vta, cbte_tipo, max_amount). No client: nothing that was proven is an identity of a client.",
			Queries: []Query{
				{`topk(20, sum by (client, result) (rate(wsfev1_client_requests_total{$own,result!="admitted"}[$__rate_interval]))) > 0`, "{{client}}, {{result}}"},
				{`sum(rate(wsfev1_client_unknown_total{$own}[$__rate_interval])) > 0`, "no client"},
			},
		},
		{
			Title: "Beyond rate or share, by client", Unit: "percentunit",
			Description: "Of a client's requests, the share that was turned away because its rate was used up or its slots were taken. A client that lives at its limit is always here: give it more, or let it send less.",
			Queries: one(`topk(20, sum by (client, result) (rate(wsfev1_client_requests_total{$own,result=~"rate|share"}[$__rate_interval]))
/ on (client) group_left () (sum by (client) (rate(wsfev1_client_requests_total{$own}[$__rate_interval])) > 0)) > 0`, "{{client}}, {{result}}"),
		},
		{
			Title: "At the service, by client", Unit: "short", Width: 7,
			Description: "Requests to issue that are at the service now, of the twenty clients with most. The share of a client is the most that it can have here.",
			Queries:     one(`topk(20, sum by (client) (wsfev1_client_slots{$own})) > 0`, "{{client}}"),
		},
		{
			Title: "Waiting, by client", Unit: "short", Width: 7,
			Description: "Requests that wait now for their client's share or for a slot at the service. If only one client waits, its share is taken. If all do, in_flight is.",
			Queries:     one(`topk(20, sum by (client) (wsfev1_client_waiting{$own})) > 0`, "{{client}}"),
		},
		{
			Title: "File of clients", Kind: States, Unit: "short", Width: 7, Thresholds: none(),
			Description: "Whether each gateway can use its file of clients as it is now. If not, the clients stay as they were, and the log says line and cure.",
			Queries:     one(`max by (instance) (wsfev1_clients_file_failed{$own})`, "{{instance}}"),
			Words:       []Word{{"0", "used", "green"}, {"1", "unusable", "red"}},
		},
		{
			Title: "Clients", Kind: Stat, Unit: "short", Width: 3, Height: 8,
			Description: "Clients that a process knows now; if processes differ, the most.",
			Queries:     one(`max(wsfev1_clients{$own})`, "clients"),
		},
	}
}
