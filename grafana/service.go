package grafana

// service is about what stands behind the gateway.
func service() Dashboard {
	return Dashboard{
		UID: "fielato-service", Title: "Fielato / Service",
		Description: "The service behind the gateway: whether it answers, how long it takes compared with what clients see, and what it answers.",
		Rows: []Row{
			{"State", serviceState()},
			{"Downstream and upstream", bothSides()},
			{"What the service answers", serviceAnswers()},
			{"What the gateway does about it", serviceRelief()},
			{"Access tickets that the gateway keeps", keptTickets()},
		},
	}
}

var upDown = []Word{{"0", "up", "green"}, {"1", "down", "red"}}

func serviceState() []Panel {
	return []Panel{
		{
			Title: "Service down", Kind: States, Unit: "short", Width: 9, Height: 6, Thresholds: none(), Words: upDown,
			Description: "Since when the service has been considered down, by the class of the failures: network (no connection, time-outs) or service (500 to 502, pages, TLS, DNS).",
			Queries:     one(`max by (class) (wsfev1_service_down{$own})`, "{{class}}"),
		},
		{
			Title: "Servers, by FEDummy", Kind: States, Unit: "short", Width: 9, Height: 6, Thresholds: all(),
			Description: "What the service reports about its own servers: application, database, authentication. Empty until a client has called FEDummy.",
			Queries:     one(`min by (server) (wsfev1_service_server_up{$own})`, "{{server}}"),
			Words:       []Word{{"1", "OK", "green"}, {"0", "not OK", "red"}},
		},
		{
			Title: "Breakers open", Kind: Stat, Unit: "short", Width: 3, Height: 6, Thresholds: none(),
			Description: "Services to which no operation that changes something is sent, for all gateways together.",
			Queries:     one(`sum(wsfev1_breaker_open{$own})`, "open"),
		},
		{
			Title: "Tickets expire in", Kind: Stat, Unit: "s", Width: 3, Height: 6, Thresholds: enough(600, 3600),
			Description: "How long until the first of the access tickets in use expires. Empty until a ticket was seen.",
			Queries:     one(`min(wsfev1_ticket_expiry_timestamp_seconds{$own}) - time()`, "left"),
		},
		{
			Title: "Outages", Unit: "short", Width: 24, Height: 6,
			Description: "Present outages, by scope: everything, or only changes while queries are answered.",
			Queries:     one(`sum by (scope) (wsfev1_outages{$own})`, "{{scope}}"),
		},
	}
}

func bothSides() []Panel {
	return []Panel{
		{
			Title: "Issuing, downstream", Unit: "s",
			Description: "How long clients wait for a CAE: from the arrival of a request to its recorded answer, of those that went to the service.",
			Queries:     quantiles("wsfev1_exchange_duration_seconds", asked),
		},
		{
			Title: "Issuing, upstream", Unit: "s",
			Description: "How much of that the service takes. If it rises together with downstream, the service is slow; if it does not, look at the series and the trail.",
			Queries:     quantiles("wsfev1_upstream_duration_seconds", issuing),
		},
		{
			Title: "Added by the gateway to issuing, mean", Unit: "s",
			Description: "Downstream less upstream, for each request to issue that went to the service: checks, two records, waiting for a series or for room, and asking the service after a lost answer.",
			Queries: one(`(sum(rate(wsfev1_exchange_duration_seconds_sum{$own`+asked+`}[$__rate_interval]))
- sum(rate(wsfev1_upstream_duration_seconds_sum{$own`+issuing+`}[$__rate_interval])))
/ (sum(rate(wsfev1_exchange_duration_seconds_count{$own`+asked+`}[$__rate_interval])) > 0)`, "added"),
		},
		{
			Title: "Requests, downstream and upstream", Unit: "reqps",
			Description: "Clients' requests that went to the service, and all that did. The difference is the gateway's own queries: about unknown outcomes, or whether the service answers again.",
			Queries: []Query{
				{`sum(rate(wsfev1_exchange_duration_seconds_count{$own,sent="true"}[$__rate_interval]))`, "downstream"},
				{`sum(rate(wsfev1_upstream_duration_seconds_count{$own}[$__rate_interval]))`, "upstream"},
			},
		},
		{
			Title: "Upstream by operation, p95", Unit: "s", Width: 16,
			Description: "95 of 100 answers of the service to an operation came within this time.",
			Queries: one(`histogram_quantile(0.95, sum by (le, operation) (rate(wsfev1_upstream_duration_seconds_bucket{$own}[$__rate_interval])))
and on (operation) sum by (operation) (rate(wsfev1_upstream_duration_seconds_count{$own}[$__rate_interval])) > 0`, "{{operation}}"),
		},
	}
}

func serviceAnswers() []Panel {
	return []Panel{
		{
			Title: "Failures by class", Unit: "reqps", Stack: true,
			Description: "Network and service are the service's side, credentials and business are its answers, client and gateway are on this side.",
			Queries:     one(`sum by (class) (rate(wsfev1_failures_total{$own}[$__rate_interval]))`, "{{class}}"),
		},
		{
			Title: "Top codes", Kind: BarGauge, Unit: "short",
			Description: "The ten codes that the service answered with most in the time range, in Errors and Observaciones, and how often. `fielato wsfev1 rules` explains each; other is any code that is not in the catalogue.",
			Queries:     one(`topk(10, sum by (code) (increase(wsfev1_service_codes_total{$own}[$__range])) > 0)`, "{{code}}"),
		},
		{
			Title: "Failed by network or service", Unit: "percentunit",
			Description: "Share of the requests to the service, including the gateway's own queries and those not sent because it does not answer (outage, unsettled). A failure counts even if the answer was recovered and the client has it.",
			Queries: one(`sum by (class) (rate(wsfev1_failures_total{$own,class=~"network|service"}[$__rate_interval]))
/ on () group_left () (sum(rate(wsfev1_upstream_duration_seconds_count{$own}[$__rate_interval]))
+ sum(rate(wsfev1_exchanges_total{$own,outcome=~"outage|unsettled"}[$__rate_interval])) > 0)`, "{{class}}"),
		},
		{
			Title: "Shown for the first time", Unit: "short",
			Description: "Announcements, codes and members of answers that were not seen before: the service has changed, or is about to. The log names each, with the record that shows it.",
			Queries:     one(`sum by (kind) (increase(wsfev1_service_notices_total{$own}[$__rate_interval]))`, "{{kind}}"),
		},
		{
			Title: "Tables that changed", Unit: "short",
			Description: "Answers about tables that differed from the previous answer to the same query, and tables with other codes than the built-in ones: the log names the codes.",
			Queries: []Query{
				{`sum by (operation) (increase(wsfev1_table_changes_total{$own}[$__rate_interval]))`, "{{operation}}"},
				{`sum by (operation) (increase(wsfev1_table_differences_total{$own}[$__rate_interval]))`, "{{operation}}, other codes"},
			},
		},
	}
}

func serviceRelief() []Panel {
	return []Panel{
		{
			Title: "Requests at the service", Unit: "short",
			Description: "Requests under way now, by kind, and the limit. At the limit, further requests wait and are then turned away (busy).",
			Queries: []Query{
				{`sum by (kind) (wsfev1_in_flight{$own})`, "{{kind}}"},
				{`sum by (kind) (wsfev1_in_flight_limit{$own})`, "{{kind}}, limit"},
			},
		},
		{
			Title: "Tables from the cache", Unit: "reqps", Stack: true,
			Description: "Where answers about tables came from: fetched from the service, fresh or stale from memory, joined to the query of another client. Stale: the service gave no answer.",
			Queries:     one(`sum by (result) (rate(wsfev1_cache_requests_total{$own}[$__rate_interval]))`, "{{result}}"),
		},
		{
			Title: "Lost answers, by settlement", Unit: "reqps", Stack: true,
			Description: "What the service's answers have shown: recovered, not issued, different, undecided.",
			Queries:     one(`sum by (result) (rate(wsfev1_recoveries_total{$own}[$__rate_interval]))`, "{{result}}"),
		},
		{
			Title: "Time until an answer was recovered", Unit: "s",
			Description: "How long a client waited while the service was asked for the outcome of its request.",
			Queries:     quantiles("wsfev1_recovery_duration_seconds", ""),
		},
	}
}
