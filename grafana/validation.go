package grafana

// validation is about the gateway's findings in requests.
func validation() Dashboard {
	return Dashboard{
		UID: "fielato-validation", Title: "Fielato / Validation",
		Description: "What the gateway finds in requests, what it does about it, and whether the service agrees.",
		Rows: []Row{
			{"Findings", findingPanels()},
			{"Agreement with the service", agreementPanels()},
			{"Invoices", voucherPanels()},
		},
	}
}

func findingPanels() []Panel {
	return []Panel{
		{
			Title: "Refused and observed", Unit: "cps", Stack: true,
			Description: "Findings that refuse a request, and those that are only recorded.",
			Queries:     one(`sum by (action) (rate(wsfev1_findings_total{$own}[$__rate_interval]))`, "{{action}}"),
		},
		{
			Title: "Refused, by rule", Kind: BarGauge, Unit: "short",
			Description: "The ten rules that refused most in the time range, and how often. `fielato wsfev1 rules` explains each; names with a point are about the shape.",
			Queries:     one(`topk(10, sum by (code) (increase(wsfev1_findings_total{$own,action="refuse"}[$__range])) > 0)`, "{{code}}"),
		},
		{
			Title: "Observed, by rule", Kind: BarGauge, Unit: "short",
			Description: "The ten rules that observed most in the time range, and how often. Look at the agreement below before you let one of them refuse.",
			Queries:     one(`topk(10, sum by (code) (increase(wsfev1_findings_total{$own,action="observe"}[$__range])) > 0)`, "{{code}}"),
		},
		{
			Title: "Requests that the gateway turned back", Unit: "percentunit", Width: 12,
			Description: "Of all requests: malformed (not the contract's shape), refused (by a rule), inadmissible (method, path, media type, size, issuer), conflict (the same number or key with another content).",
			Queries: one(`sum by (outcome) (rate(wsfev1_exchanges_total{$own,outcome=~"malformed|refused|inadmissible|conflict"}[$__rate_interval]))
/ on () group_left () (sum(rate(wsfev1_exchanges_total{$own}[$__rate_interval])) > 0)`, "{{outcome}}"),
		},
		{
			Title: "Findings by rule", Unit: "cps", Width: 12, Stack: true,
			Description: "All rules that find something, refused or not. A step in one of them: a client has changed, or the rule has come into force.",
			Queries:     one(`sum by (code) (rate(wsfev1_findings_total{$own}[$__rate_interval])) > 0`, "{{code}}"),
		},
	}
}

func agreementPanels() []Panel {
	return []Panel{
		{
			Title: "Agreement", Kind: Stat, Unit: "percentunit", Width: 6, Height: 8, Max: 1, Thresholds: enough(.95, .99),
			Description: "Of the codes that the gateway or the service found in invoices that both judged, the share that both found, in the time range. Codes that refuse never reach the service: observe a rule to compare it.",
			Queries: one(`sum(increase(wsfev1_rule_agreement_total{$own,gateway="found",upstream="found"}[$__range]))
/ (sum(increase(wsfev1_rule_agreement_total{$own}[$__range])) > 0)`, "both"),
		},
		{
			Title: "Who found it", Unit: "cps", Width: 9,
			Description: "By whether gateway and service found a code. The gateway alone: the rule is stricter here. The service alone: it has a rule that the gateway lacks, or another reading of it.",
			Queries:     one(`sum by (gateway, upstream) (rate(wsfev1_rule_agreement_total{$own}[$__rate_interval]))`, "gateway {{gateway}}, service {{upstream}}"),
		},
		{
			Title: "Rules that disagree", Unit: "cps", Width: 9,
			Description: "Codes that one of the two found and the other did not.",
			Queries: []Query{
				{`sum by (code) (rate(wsfev1_rule_agreement_total{$own,gateway="found",upstream="absent"}[$__rate_interval]))`, "{{code}}, gateway alone"},
				{`sum by (code) (rate(wsfev1_rule_agreement_total{$own,gateway="absent",upstream="found"}[$__rate_interval]))`, "{{code}}, service alone"},
			},
		},
	}
}

func voucherPanels() []Panel {
	return []Panel{
		{
			Title: "Rules that begin", Kind: Stat, Unit: "s", Width: 4, Height: 8,
			Description: "How long it is until the service rejects by a rule that it has announced; 0 from that day on. Until then the rule observes: what it finds is among the findings above.",
			Queries:     one(`min by (code) (wsfev1_rule_begins_in_seconds{$own})`, "{{code}}"),
		},
		{
			Title: "Rejected, by type of voucher", Unit: "percentunit", Width: 10,
			Description: "Of the invoices of a type (CbteTipo) that the service judged, the share that it rejected.",
			Queries: one(`sum by (cbte_tipo) (rate(wsfev1_vouchers_total{$own,resultado="R"}[$__rate_interval]))
/ (sum by (cbte_tipo) (rate(wsfev1_vouchers_total{$own}[$__rate_interval])) > 0)`, "{{cbte_tipo}}"),
		},
		{
			Title: "Invoices by type of voucher", Unit: "cps", Width: 10, Stack: true,
			Description: "Invoices per second that the service judged, by CbteTipo.",
			Queries:     one(`sum by (cbte_tipo) (rate(wsfev1_vouchers_total{$own}[$__rate_interval])) > 0`, "{{cbte_tipo}}"),
		},
	}
}
