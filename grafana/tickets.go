package grafana

// keptTickets is about the access tickets that the gateway keeps itself (option wsaa). All of it is
// empty without that option.
func keptTickets() []Panel {
	const keeper = "{{certificate}} {{cuit}} at {{login}}"
	return []Panel{
		{
			Title: "Certificates expire in", Kind: BarGauge, Unit: "s", Height: 6, Thresholds: enough(7*86400, 30*86400),
			Description: "How long until each certificate with which the gateway logs in expires, by its alias, its CUIT and its login service. Request the next one while there is a month left.",
			Queries:     one(`min by (certificate, cuit, login) (wsfev1_certificate_expiry_timestamp_seconds{$own}) - time()`, keeper),
		},
		{
			Title: "Certificates that cannot be used", Kind: States, Unit: "short", Height: 6, Thresholds: all(),
			Description: "Certificates by their files. One that cannot be used keeps its own CUITs from issuing without a ticket of their own; the log says why.",
			Queries:     one(`max by (file, login) (wsfev1_certificate_unusable{$own})`, "{{file}} {{login}}"),
			Words:       []Word{{"0", "used", "green"}, {"1", "unusable", "red"}},
		},
		{
			Title: "A ticket is ready", Kind: States, Unit: "short", Width: 16, Height: 6, Thresholds: all(),
			Description: "Whether every gateway has an access ticket to use. With none, requests that bring no ticket get 503.",
			Queries:     one(`min by (certificate, cuit, login) (wsfev1_kept_ticket_ready{$own})`, keeper),
			Words:       []Word{{"1", "ready", "green"}, {"0", "none", "red"}},
		},
		{
			Title: "Kept tickets expire in", Unit: "s",
			Description: "How long the ticket at hand lives. It falls from twelve hours to six, and rises with the renewal. If it falls below that, renewing fails.",
			Queries:     one(`min by (certificate, cuit, login) (wsfev1_kept_ticket_expiry_timestamp_seconds{$own}) - time()`, keeper),
		},
		{
			Title: "Kept tickets, by event", Unit: "short",
			Description: "Logins that succeeded or failed, tickets adopted from the store or refused by the service, failures of the store. The log has the reason of each.",
			Queries:     one(`sum by (event) (increase(wsfev1_kept_ticket_events_total{$own}[$__rate_interval]))`, "{{event}}"),
		},
		{
			Title: "The authority's clock is ahead by", Unit: "s", Negative: true,
			Description: "How far the login service's clock was ahead of each gateway's at its last login. Above a minute, set the gateway's clock by NTP; the next login shows it.",
			Queries:     one(`max by (instance, login) (wsfev1_kept_ticket_clock_skew_seconds{$own})`, "{{instance}} and {{login}}"),
		},
	}
}
