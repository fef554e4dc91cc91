package caddymodule

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// gatewayOptions are those of the directive wsfev1.
var gatewayOptions = []option[Gateway]{
	{
		name: "audit", arguments: "<store> [<arguments>…] { … }",
		meaning:  "where the trail is kept, and how: see [stores of the trail](#stores-of-the-trail) and [the block of audit](#the-block-of-audit)",
		fallback: "`sqlite`",
		read:     (*Gateway).unmarshalAudit,
	},
	{
		name: "contract", arguments: "base|arca",
		meaning:  "`base`: the 20 operations and their members; `arca`: also the extensions of the live service (`CanMisMonExt`, `CondicionIVAReceptorId`, `FchCotiz`, `FECAEAConsultar`, `FEParamGetCondicionIvaReceptor`)",
		fallback: "`arca`",
		read:     (*Gateway).unmarshalContract,
	},
	{
		name: "mode", arguments: "enforce|observe",
		meaning:  "`enforce`: what the rules find is refused as the service would, HTTP 200 and Resultado R; `observe`: it is recorded, counted and forwarded, but for the rules that `rule … enforce` names",
		fallback: "`enforce`",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return oneOf(d, &g.Mode, "mode", modeEnforce, modeObserve)
		},
	},
	{
		name: "rule", arguments: "<code>… enforce|observe|off", repeatable: true,
		meaning: "the level of single rules, by code; wins over `mode`. `rule 10246 enforce` refuses an invoice without `CondicionIVAReceptorId`. " +
			"A rule that is named with `enforce` or `observe` is judged also before its day; `enforce` makes also those refuse that the service only remarks upon (OBS). What the built-in service makes of a rule is its own `rule` option",
		fallback: "each rule's own, see `fielato wsfev1 rules`",
		read: func(g *Gateway, d *caddyfile.Dispenser) (err error) {
			g.Rules, err = ruleArguments(d, g.Rules, false)
			return err
		},
	},
	{
		name: "absolute_tolerance", arguments: "<amount>",
		meaning:  "how far sums and products may be off: an amount (for the sums over `AlicIva` and `Tributo`, that amount for each of them). It or the relative one, whichever is more",
		fallback: "0.01",
		read:     func(g *Gateway, d *caddyfile.Dispenser) error { return amountArgument(d, &g.AbsoluteTolerance) },
	},
	{
		name: "relative_tolerance", arguments: "<fraction>",
		meaning:  "the same as a fraction of the larger figure",
		fallback: "0.0001 (0.01 %)",
		read:     func(g *Gateway, d *caddyfile.Dispenser) error { return amountArgument(d, &g.RelativeTolerance) },
	},
	{
		name: "consumer_final_threshold", arguments: "<pesos>",
		meaning:  "from this amount in pesos on the receiver of a class B invoice must be identified",
		fallback: "the one in force on the day",
		read:     func(g *Gateway, d *caddyfile.Dispenser) error { return amountArgument(d, &g.ConsumerFinalThreshold) },
	},
	{
		name: "fce_minimum", arguments: "<pesos>",
		meaning:  "from this amount in pesos on an invoice may have to be an FCE (rule 10192, off by default)",
		fallback: "the one in force on the day",
		read:     func(g *Gateway, d *caddyfile.Dispenser) error { return amountArgument(d, &g.FCEMinimum) },
	},
	{
		name: "ticket", arguments: "check|off [<certificate>]",
		meaning: "`check`: a Token that is a readable WSAA ticket is refused (600) where it has expired, is for another service than `wsfe` or does not cover `Auth.Cuit`; a Token that is no ticket passes. " +
			"With the authority's certificate (a PEM file) Sign must be its signature of Token as well, and a Token that is no ticket is refused. `off`: tickets are not looked at. An `Auth.Cuit` that nobody can have (below 1, or of more than eleven digits) is refused all the same",
		fallback: "`check`",
		read:     (*Gateway).unmarshalTicket,
	},
	{
		name: "openapi", arguments: "<path>",
		meaning:  "where the description of the interface (OpenAPI 3.1, JSON) is served to GET; `fielato wsfev1 openapi` prints the same",
		fallback: "not served",
		read:     func(g *Gateway, d *caddyfile.Dispenser) error { return oneArgument(d, &g.OpenAPI) },
	},
	{
		name: "max_body", arguments: "<size>",
		meaning:  "the largest request, such as `4MiB`; from 1 KiB to 1 GiB",
		fallback: "4 MiB",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return sizeOption(d, &g.MaxBody, "max_body", 1<<10, 1<<30, "4MiB")
		},
	},
	{
		name: "max_bodies", arguments: "<size>",
		meaning:  "how much of requests is at work at a time, such as `8MiB`; from 1 MiB to 64 GiB. It [bounds the memory](../README.md#memory)",
		fallback: "8 MiB",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return sizeOption(d, &g.MaxBodies, "max_bodies", 1<<20, 64<<30, "8MiB")
		},
	},
	{
		name: "max_answer", arguments: "<size>",
		meaning:  "the largest answer of the service, with its header, such as `16MiB`; from 64 KiB to 1 GiB. One that is larger is cut off: what became of an invoice is then asked, a query is refused",
		fallback: "16 MiB",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return sizeOption(d, &g.MaxAnswer, "max_answer", 64<<10, 1<<30, "16MiB")
		},
	},
	{
		name: "max_answers", arguments: "<size>",
		meaning:  "how much of answers is at work at a time, such as `16MiB`; from 1 MiB to 64 GiB. It [bounds the memory](../README.md#memory). What finds no room within `in_flight wait` is cut off",
		fallback: "16 MiB",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return sizeOption(d, &g.MaxAnswers, "max_answers", 1<<20, 64<<30, "16MiB")
		},
	},
	{
		name: "cuits", arguments: "<cuit>…",
		meaning:  "the only issuers that may pass; others get 403",
		fallback: "all",
		read:     (*Gateway).unmarshalCuits,
	},
	{
		name: "upstream_timeout", arguments: "<duration>",
		meaning:  "the last resort against an upstream that never ends",
		fallback: "2m",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return durationArgument(d, "upstream_timeout", "2m", &g.UpstreamTimeout)
		},
	},
	{
		name: "replay", arguments: "on|off",
		meaning:  "whether a request that was answered before is answered again from the trail, see [Exactly once](../once/README.md)",
		fallback: "`on`",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return oneOf(d, &g.Replay, "replay", optionOn, optionOff)
		},
	},
	{
		name: "series_wait", arguments: "<duration>",
		meaning:  "how long a request that issues waits for those of its series that came before it; then 503",
		fallback: "10s",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return durationArgument(d, "series_wait", "10s", &g.SeriesWait)
		},
	},
	{
		name: "recover", arguments: "within <duration>|off",
		meaning: "`within`: how long the service is asked about a request to which no answer came, before the client is told that the outcome is unknown. " +
			"It counts as not issued once the service has been saying so until half of that time after it was lost. `off`: nothing is asked, and [exactly once](../once/README.md) does not hold: the outcome stays unknown, the same request is sent again when it comes again, " +
			"and so are its numbers with another content and the numbers after them",
		fallback: "`within 20s`",
		read:     (*Gateway).unmarshalRecover,
	},
	{
		name: "sequence", arguments: "observe|enforce|off",
		meaning:  "what is done about a number that does not follow the last one authorised (10016, 703 in a FECAEARegInformativo): `observe` writes it down; `enforce` asks the service for its last number and refuses if that confirms it; `off` does nothing",
		fallback: "`observe`",
		read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return oneOf(d, &g.Sequence, "sequence", sequenceObserve, sequenceEnforce, sequenceOff)
		},
	},
	{
		name: "cache", arguments: "<ttl> [stale <limit>]|off",
		meaning:  "how long an answer about tables, rates or the largest lot is given again without asking, and after `stale` how old one may be that is given because the service has none; `off` asks each time. See [tables when the service is down](../once/README.md#tables-when-the-service-is-down)",
		fallback: "`5m stale 24h`",
		read:     (*Gateway).unmarshalCache,
	},
	{
		name: "deadline", arguments: "issuing|caea|query|table|health <duration>", repeatable: true,
		meaning:  "how long the operations of one family may take at the service; may be given once for each",
		fallback: "`upstream_timeout`, but at most 30s for `query` and `table`, 10s for `health` (FEDummy)",
		read:     (*Gateway).unmarshalDeadline,
	},
	{
		name: "in_flight", arguments: "[issuing <n>] [tables <n>] [queries <n>] [wait <duration>]",
		meaning:  "how many requests are at the service at a time, each kind apart, see [overload and outages](../once/README.md#overload-and-outages); `wait`: how long one waits for room",
		fallback: "`issuing 256 tables 32 queries 64 wait 5s`",
		read:     (*Gateway).unmarshalInFlight,
	},
	{
		name: "breaker", arguments: "<failures> [rest <duration>] [service <name>]|off [service <name>]",
		meaning:  "after how many failures in a row nothing is issued, how long it then rests before it looks again, and the name of the service where handlers with one store have different ones behind them; `off`: nothing is refused, and no outage begins; one that lasts ends with the first answer",
		fallback: "`5 rest 10s`",
		read:     (*Gateway).unmarshalBreaker,
	},
}
