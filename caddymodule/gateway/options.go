package gateway

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/directive"
)

// OptionTable has the options of the directive wsfev1.
var OptionTable = []directive.Option[Gateway]{
	{
		Name: "audit", Arguments: "<store> [<arguments>…] { … }",
		Meaning:  "where the trail is kept, and how: see [stores of the trail](#stores-of-the-trail) and [the block of audit](#the-block-of-audit)",
		Fallback: "`sqlite`",
		Read:     (*Gateway).unmarshalAudit,
	},
	{
		Name: "contract", Arguments: "base|arca",
		Meaning:  "`base`: the 20 operations and their members; `arca`: also the extensions of the live service (`CanMisMonExt`, `CondicionIVAReceptorId`, `FchCotiz`, `FECAEAConsultar`, `FEParamGetCondicionIvaReceptor`)",
		Fallback: "`arca`",
		Read:     (*Gateway).unmarshalContract,
	},
	{
		Name: "mode", Arguments: "enforce|observe",
		Meaning:  "`enforce`: what the rules find is refused as the service would, HTTP 200 and Resultado R; `observe`: it is recorded, counted and forwarded, but for the rules that `rule … enforce` names",
		Fallback: "`enforce`",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.Word(d, &g.Mode, "mode", modeEnforce, modeObserve)
		},
	},
	{
		Name: "rule", Arguments: "<code>… enforce|observe|off", Repeatable: true,
		Meaning: "the level of single rules, by code; wins over `mode`. `rule 10246 enforce` refuses an invoice without `CondicionIVAReceptorId`. " +
			"A rule that is named with `enforce` or `observe` is judged also before its day; `enforce` makes also those refuse that the service only remarks upon (OBS). What the built-in service makes of a rule is its own `rule` option",
		Fallback: "each rule's own, see `fielato wsfev1 rules`",
		Read: func(g *Gateway, d *caddyfile.Dispenser) (err error) {
			g.Rules, err = directive.RuleArguments(d, g.Rules, false)
			return err
		},
	},
	{
		Name: "absolute_tolerance", Arguments: "<amount>",
		Meaning:  "how far sums and products may be off: an amount (for the sums over `AlicIva` and `Tributo`, that amount for each of them). It or the relative one, whichever is more",
		Fallback: "0.01",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.AmountArgument(d, &g.AbsoluteTolerance)
		},
	},
	{
		Name: "relative_tolerance", Arguments: "<fraction>",
		Meaning:  "the same as a fraction of the larger figure",
		Fallback: "0.0001 (0.01 %)",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.AmountArgument(d, &g.RelativeTolerance)
		},
	},
	{
		Name: "consumer_final_threshold", Arguments: "<pesos>",
		Meaning:  "from this amount in pesos on the receiver of a class B invoice must be identified",
		Fallback: "the one in force on the day",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.AmountArgument(d, &g.ConsumerFinalThreshold)
		},
	},
	{
		Name: "fce_minimum", Arguments: "<pesos>",
		Meaning:  "from this amount in pesos on an invoice may have to be an FCE (rule 10192, off by default)",
		Fallback: "the one in force on the day",
		Read:     func(g *Gateway, d *caddyfile.Dispenser) error { return directive.AmountArgument(d, &g.FCEMinimum) },
	},
	{
		Name: "ticket", Arguments: "check|off [<certificate>]",
		Meaning: "`check`: a Token that is a readable WSAA ticket is refused (600) where it has expired, is for another service than `wsfe` or does not cover `Auth.Cuit`; a Token that is no ticket passes. " +
			"With the authority's certificate (a PEM file) Sign must be its signature of Token as well, and a Token that is no ticket is refused. `off`: tickets are not looked at. An `Auth.Cuit` that nobody can have (below 1, or of more than eleven digits) is refused all the same",
		Fallback: "`check`",
		Read:     (*Gateway).unmarshalTicket,
	},
	{
		Name: "openapi", Arguments: "<path>",
		Meaning:  "where the description of the interface (OpenAPI 3.1, JSON) is served to GET; `fielato wsfev1 openapi` prints the same",
		Fallback: "not served",
		Read:     func(g *Gateway, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &g.OpenAPI) },
	},
	{
		Name: "max_body", Arguments: "<size>",
		Meaning:  "the largest request, such as `4MiB`; from 1 KiB to 1 GiB",
		Fallback: "4 MiB",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.SizeArgument(d, &g.MaxBody, "max_body", 1<<10, 1<<30, "4MiB")
		},
	},
	{
		Name: "max_bodies", Arguments: "<size>",
		Meaning:  "how much of requests is at work at a time, such as `8MiB`; from 1 MiB to 64 GiB. It [bounds the memory](operating.md#memory)",
		Fallback: "8 MiB",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.SizeArgument(d, &g.MaxBodies, "max_bodies", 1<<20, 64<<30, "8MiB")
		},
	},
	{
		Name: "max_answer", Arguments: "<size>",
		Meaning:  "the largest answer of the service, with its header, such as `16MiB`; from 64 KiB to 1 GiB. One that is larger is cut off: what became of an invoice is then asked, a query is refused",
		Fallback: "16 MiB",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.SizeArgument(d, &g.MaxAnswer, "max_answer", 64<<10, 1<<30, "16MiB")
		},
	},
	{
		Name: "max_answers", Arguments: "<size>",
		Meaning:  "how much of answers is at work at a time, such as `16MiB`; from 1 MiB to 64 GiB. It [bounds the memory](operating.md#memory). What finds no room within `in_flight wait` is cut off",
		Fallback: "16 MiB",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.SizeArgument(d, &g.MaxAnswers, "max_answers", 1<<20, 64<<30, "16MiB")
		},
	},
	{
		Name: "cuits", Arguments: "<cuit>…",
		Meaning:  "the only issuers that may pass; others get 403",
		Fallback: "all",
		Read:     (*Gateway).unmarshalCuits,
	},
	{
		Name: "upstream_timeout", Arguments: "<duration>",
		Meaning:  "the last resort against an upstream that never ends",
		Fallback: "2m",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.DurationArgument(d, "upstream_timeout", "2m", &g.UpstreamTimeout)
		},
	},
	{
		Name: "replay", Arguments: "on|off",
		Meaning:  "whether a request that was answered before is answered again from the trail, see [Exactly once](exactly-once.md)",
		Fallback: "`on`",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.Word(d, &g.Replay, "replay", optionOn, optionOff)
		},
	},
	{
		Name: "series_wait", Arguments: "<duration>",
		Meaning:  "how long a request that issues waits for those of its series that came before it; then 503",
		Fallback: "10s",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.DurationArgument(d, "series_wait", "10s", &g.SeriesWait)
		},
	},
	{
		Name: "recover", Arguments: "within <duration>|off",
		Meaning: "`within`: how long the service is asked about a request to which no answer came, before the client is told that the outcome is unknown. " +
			"It counts as not issued once the service has been saying so until half of that time after it was lost. `off`: nothing is asked, and [exactly once](exactly-once.md) does not hold: the outcome stays unknown, the same request is sent again when it comes again, " +
			"and so are its numbers with another content and the numbers after them",
		Fallback: "`within 20s`",
		Read:     (*Gateway).unmarshalRecover,
	},
	{
		Name: "sequence", Arguments: "observe|enforce|off",
		Meaning:  "what is done about a number that does not follow the last one authorised (10016, 703 in a FECAEARegInformativo): `observe` writes it down; `enforce` asks the service for its last number and refuses if that confirms it; `off` does nothing",
		Fallback: "`observe`",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			return directive.Word(d, &g.Sequence, "sequence", sequenceObserve, sequenceEnforce, sequenceOff)
		},
	},
	{
		Name: "cache", Arguments: "<ttl> [stale <limit>]|off",
		Meaning:  "how long an answer about tables, rates or the largest lot is given again without asking, and after `stale` how old one may be that is given because the service has none; `off` asks each time. See [tables when the service is down](outages.md#tables-when-the-service-is-down)",
		Fallback: "`5m stale 24h`",
		Read:     (*Gateway).unmarshalCache,
	},
	{
		Name: "deadline", Arguments: "issuing|caea|query|table|health <duration>", Repeatable: true,
		Meaning:  "how long the operations of one family may take at the service; may be given once for each",
		Fallback: "`upstream_timeout`, but at most 30s for `query` and `table`, 10s for `health` (FEDummy)",
		Read:     (*Gateway).unmarshalDeadline,
	},
	{
		Name: "in_flight", Arguments: "[issuing <n>] [tables <n>] [queries <n>] [wait <duration>]",
		Meaning:  "how many requests are at the service at a time, each kind apart, see [overload and outages](outages.md#room-at-the-service); `wait`: how long one waits for room",
		Fallback: "`issuing 256 tables 32 queries 64 wait 5s`",
		Read:     (*Gateway).unmarshalInFlight,
	},
	{
		Name: "breaker", Arguments: "<failures> [rest <duration>] [service <name>]|off [service <name>]",
		Meaning:  "after how many failures in a row nothing is issued, how long it then rests before it looks again, and the name of the service where handlers with one store have different ones behind them; `off`: nothing is refused, and no outage begins; one that lasts ends with the first answer",
		Fallback: "`5 rest 10s`",
		Read:     (*Gateway).unmarshalBreaker,
	},
}
