package grafana

// issuing is a matcher on the operation that issues invoices.
const issuing = `,operation="FECAESolicitar"`

// asked matches issuing requests that were sent to the service, at least in part.
const asked = issuing + `,sent="true"`

// noAnswer are the outcomes by which a client did not get the service's answer.
const noAnswer = `outcome=~"unknown|unsettled|unrecorded|busy|not_sent|not_issued|outage|upstream_error"`

// overview answers one question: is issuing healthy?
func overview() Dashboard {
	return Dashboard{
		UID: "fielato-overview", Title: "Fielato / Overview",
		Description: "Is issuing healthy? The first row answers that; the others show since when, and where to look next.",
		Rows: []Row{
			{"Is issuing healthy?", healthy()},
			{"Issuing (FECAESolicitar)", issuingPanels()},
			{"All operations", families()},
		},
	}
}

func healthy() []Panel {
	panels := []Panel{
		gatewaysUp(),
		{
			Title: "Approval rate", Kind: Stat, Unit: "percentunit", Thresholds: enough(.8, .95), Max: 1,
			Description: "Invoices that the service approved, out of those that it judged in the time range. A fall means that clients send invoices that it rejects, see the Validation dashboard, or that it has new rules.",
			Queries: one(`sum(increase(wsfev1_vouchers_total{$own,resultado="A"}[$__range]))
/ (sum(increase(wsfev1_vouchers_total{$own}[$__range])) > 0)`, "approved"),
		},
		{
			Title: "Time to a CAE, p95", Kind: Stat, Unit: "s", Thresholds: good(5, 15),
			Description: "95 of 100 requests to issue that went to the service in the time range had their recorded answer within this time, waiting for the service included.",
			Queries:     quantile("0.95", "p95", "wsfev1_exchange_duration_seconds", asked),
		},
		{
			Title: "Unknown outcomes", Kind: Stat, Unit: "short", Thresholds: none(),
			Description: "Requests to issue whose outcome is unknown at the moment. The gateway keeps asking the service; their series wait.",
			Queries:     one(`sum(wsfev1_unknown_outcomes{$own})`, "unknown"),
		},
		verification("Trail", "Whether the trail of every gateway continued each checkpoint that is kept elsewhere, over the whole time range. A number: how often it did not, because records are gone or the history has changed. Not kept elsewhere: some gateway has no checkpoint_to, and nothing was verified of its trail."),
		{
			Title: "Trail writes", Kind: Stat, Unit: "short", Thresholds: none(),
			Description: "Whether records can be written. Failing: in the last five minutes one could not be, or a request was refused because it could not be recorded; or records are still to be written.",
			Queries: one(`sum(increase(wsfev1_audit_records_total{$own,result="failed"}[5m]))
+ sum(increase(wsfev1_exchanges_total{$own,outcome="unrecorded"}[5m]))
+ sum(wsfev1_audit_pending_outcomes{$own}) > bool 0`, "writes"),
			Words: []Word{{"0", "ok", "green"}, {"1", "failing", "red"}},
		},
		{
			Title: "Service", Kind: Stat, Unit: "short", Thresholds: none(),
			Description: "Whether the service answers. Down: there were failures in a row, and no operation that changes something is sent until it answers.",
			Queries:     one(`max(wsfev1_service_down{$own})`, "service"),
			Words:       []Word{{"0", "up", "green"}, {"1", "down", "red"}},
		},
		{
			Title: "Error budget left", Kind: Stat, Unit: "percentunit", Thresholds: enough(0, .5), Max: 1,
			Description: "What is left of the 0.1 % of requests to issue that may fail through the gateway, at the pace of the last three days. Below 0 the objective of 99.9 % is missed.",
			Queries: one(`1 - sum(instance:wsfev1_issuing_failures:rate3d{$own})
/ (sum(instance:wsfev1_issuing_exchanges:rate3d{$own}) > 0) / 0.001`, "left"),
		},
	}
	for i := range panels {
		panels[i].Width = columns / len(panels) // one row
	}
	return panels
}

func issuingPanels() []Panel {
	return []Panel{
		{
			Title: "Requests to issue by outcome", Unit: "reqps", Stack: true,
			Description: "The outcomes of the requests to issue. Approved, observed, partial, rejected and refused are answers; the others mean that a client has to query or to repeat.",
			Queries:     one(`sum by (outcome) (rate(wsfev1_exchanges_total{$own,operation="FECAESolicitar"}[$__rate_interval])) > 0`, "{{outcome}}"),
		},
		{
			Title: "Time to a CAE", Unit: "s",
			Description: "From the arrival of a request to issue to its recorded answer, of those that went to the service. Compare with the time that the service took, on the Service dashboard.",
			Queries:     quantiles("wsfev1_exchange_duration_seconds", asked),
		},
		{
			Title: "Requests to issue that failed", Unit: "percentunit",
			Description: "Through the gateway: unknown, unsettled, unrecorded, busy. Through the service: not sent, not issued, outage, a useless answer. Mistakes of clients count in neither.",
			Queries: []Query{
				{`sum(instance:wsfev1_issuing_failures:rate5m{$own}) / (sum(instance:wsfev1_issuing_exchanges:rate5m{$own}) > 0)`, "gateway"},
				{`sum(instance:wsfev1_issuing_service_failures:rate5m{$own}) / (sum(instance:wsfev1_issuing_exchanges:rate5m{$own}) > 0)`, "service"},
			},
		},
		{
			Title: "Invoices by verdict", Unit: "cps", Stack: true,
			Description: "Invoices per second that the service approved (A) or rejected (R). A lot counts as many times as it has invoices.",
			Queries:     one(`sum by (resultado) (rate(wsfev1_vouchers_total{$own}[$__rate_interval]))`, "{{resultado}}"),
		},
		{
			Title: "Unknown outcomes and their settlement", Unit: "short",
			Description: "Unknown now, and per minute what the service's answers have shown: recovered (it had been carried out), not issued, different (another invoice has the number), undecided.",
			Queries: []Query{
				{`sum(wsfev1_unknown_outcomes{$own})`, "unknown now"},
				{`60 * sum by (result) (rate(wsfev1_recoveries_total{$own}[$__rate_interval]))`, "{{result}} per minute"},
			},
		},
		{
			Title: "Requests waiting for their series", Unit: "short",
			Description: "Requests of one series pass one at a time. This is how many wait now; if it does not fall, an outcome in a series is unknown.",
			Queries:     one(`sum by (instance) (wsfev1_series_waiting{$own})`, "{{instance}}"),
		},
	}
}

func families() []Panel {
	family := func(matcher string) string {
		return `sum(rate(wsfev1_exchanges_total{$own,` + matcher + `}[$__rate_interval]))`
	}
	failed := func(matcher string) string {
		return family(matcher+","+noAnswer) + " / (" + family(matcher) + " > 0)"
	}
	slow := func(matcher string) string {
		return `histogram_quantile(0.95, sum by (le) (rate(wsfev1_exchange_duration_seconds_bucket{$own,` + matcher + `}[$__rate_interval])))`
	}
	each := func(expr func(string) string) []Query {
		var all []Query
		for _, f := range [][2]string{
			{"issuing", `operation="FECAESolicitar"`},
			{"CAEA", `operation=~"FECAEA.*"`},
			{"queries", `operation=~"FEComp.*"`},
			{"tables", `operation=~"FEParamGet.*"`},
			{"FEDummy", `operation="FEDummy"`},
		} {
			all = append(all, Query{expr(f[1]), f[0]})
		}
		return all
	}
	return []Panel{
		{
			Title: "Requests by family", Unit: "reqps", Stack: true,
			Description: "Requests that were answered, by family of operations.", Queries: each(family),
		},
		{
			Title: "Requests without the service's answer", Unit: "percentunit",
			Description: "Requests of a family that the service did not answer, whoever was at fault.", Queries: each(failed),
		},
		{
			Title: "Time to an answer, p95", Unit: "s",
			Description: "95 of 100 requests of a family were answered within this time, by the service or by the gateway alone (cached, replayed, refused).", Queries: each(slow),
		},
		{
			Title: "Failures by class", Unit: "reqps", Stack: true, Width: 24,
			Description: "Who has to act: client (not the contract's), gateway (no room, no trail), network, service, credentials (600, 601), business (the service or a rule says no).",
			Queries:     one(`sum by (class) (rate(wsfev1_failures_total{$own}[$__rate_interval]))`, "{{class}}"),
		},
	}
}
