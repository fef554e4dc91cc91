package gateway

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsfev1"
)

// OptionTable has the options of the directive wsfev1.
var OptionTable = append([]directive.Option[Gateway]{
	{
		Name: "audit", Arguments: "<store> [<arguments>…] { … }",
		Meaning:  "where and how the trail is kept: see [stores of the trail](#stores-of-the-trail) and [the block of audit](#the-block-of-audit)",
		Fallback: "`sqlite`",
		Read:     (*Gateway).unmarshalAudit,
	},
	{
		Name: "contract", Arguments: "base|arca",
		Meaning:  "`base`: the 20 operations and their members. `arca`: also the extensions of the live service (`CanMisMonExt`, `CondicionIVAReceptorId`, `FchCotiz`, `FECAEAConsultar`, `FEParamGetCondicionIvaReceptor`)",
		Fallback: "`arca`",
		Read:     (*Gateway).unmarshalContract,
	},
	{
		Name: "mode", Arguments: "enforce|observe",
		Meaning:  "`enforce`: a finding refuses the request as the service would, with HTTP 200 and Resultado R. `observe`: it is recorded and counted, and the request is forwarded, except for rules that `rule … enforce` names",
		Fallback: "`enforce`",
		Read:     directive.OneOf(func(g *Gateway) *string { return &g.Mode }, modeEnforce, modeObserve),
	},
	{
		Name: "rule", Arguments: "<code>… enforce|observe|off", Repeatable: true,
		Meaning: "the level of single rules, by code. It overrides `mode`. `rule 10246 enforce` refuses an invoice without `CondicionIVAReceptorId` also before 2026-12-01, and under `contract base`. " +
			"A rule named with `enforce` or `observe` is judged even before its day. `enforce` also refuses what the service only remarks on (OBS). The built-in service has its own `rule` option",
		Fallback: "each rule's own, see `fielato wsfev1 rules`",
		Read: func(g *Gateway, d *caddyfile.Dispenser) (err error) {
			g.Rules, err = directive.RuleArguments(d, g.Rules, false)
			return err
		},
	},
	{
		Name: "absolute_tolerance", Arguments: "<amount>",
		Meaning:  "how far sums and products may be off, as an amount. Sums over `AlicIva` and `Tributo` may be off by that amount for each item. The larger of this and the relative tolerance applies",
		Fallback: "0.01",
		Read:     directive.Amount(func(g *Gateway) *wsfev1.Amount { return &g.AbsoluteTolerance }),
	},
	{
		Name: "relative_tolerance", Arguments: "<fraction>",
		Meaning:  "the same as a fraction of the larger figure",
		Fallback: "0.0001 (0.01 %)",
		Read:     directive.Amount(func(g *Gateway) *wsfev1.Amount { return &g.RelativeTolerance }),
	},
	{
		Name: "consumer_final_threshold", Arguments: "<pesos>",
		Meaning:  "the amount in pesos from which the receiver of a class B invoice must be identified",
		Fallback: "the one in force on the day, [in the environment](validation.md#which-environment)",
		Read:     directive.Amount(func(g *Gateway) *wsfev1.Amount { return &g.ConsumerFinalThreshold }),
	},
	{
		Name: "fce_minimum", Arguments: "<pesos>",
		Meaning:  "the amount in pesos from which an invoice may have to be an FCE (rule 10192, which observes by default)",
		Fallback: "the one in force on the day, [in the environment](validation.md#which-environment)",
		Read:     directive.Amount(func(g *Gateway) *wsfev1.Amount { return &g.FCEMinimum }),
	},
	{
		Name: "ticket", Arguments: "check|off [<certificate>]",
		Meaning: "`check`: refuses (600) a readable WSAA ticket that has expired, is for a service other than `wsfe`, or does not cover `Auth.Cuit`. A Token that is not a ticket passes. " +
			"With the authority's certificate (a PEM file), Sign must also be its signature of Token, and a Token that is not a ticket is refused. `off`: tickets are not checked. An impossible `Auth.Cuit` is refused anyway: below 1, or of more than eleven digits",
		Fallback: "`check`",
		Read:     (*Gateway).unmarshalTicket,
	},
	{
		Name: "wsaa", Arguments: "homo|prod|<url> { … }", Repeatable: true,
		Meaning:  "logs in at WSAA with a certificate: requests without Token and Sign get its ticket. See [the block of wsaa](#the-block-of-wsaa) and [its page](wsaa.md)",
		Fallback: "clients bring their tickets",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			var block tickets.Options
			err := block.Unmarshal(d)
			g.Wsaa = append(g.Wsaa, block)
			return err
		},
	},
	{
		Name: "fill", Arguments: "CondicionIVAReceptorId from table <file> [default <id>…]|default <id>…",
		Meaning: "what invoices get that lack `CondicionIVAReceptorId`: the condition of the receiver by a [table](validation.md#fill-in-condicionivareceptorid), or else the first default that the class of the voucher admits. " +
			"What a client sends is never replaced. The header `Wsfev1-Filled` of the answer and the record show it. Needs `contract arca`",
		Fallback: "requests go on as they came",
		Read:     (*Gateway).unmarshalFill,
	},
	{
		Name: "openapi", Arguments: "<path>",
		Meaning:  "the path at which GET gets the description of the interface (OpenAPI 3.1, JSON). `fielato wsfev1 openapi` prints the same",
		Fallback: "not served",
		Read:     func(g *Gateway, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &g.OpenAPI) },
	},
	{
		Name: "qr", Arguments: "header|off",
		Meaning: "`header`: an answer that approves invoices has a header `Wsfev1-Qr` with [the text of the QR code](evidence.md#the-qr-code) of each. The body stays as it came. " +
			"An answer with more than ten approved invoices, or with a range, has no such header, and neither has one of the built-in service",
		Fallback: "`off`",
		Read:     directive.OneOf(func(g *Gateway) *string { return &g.QR }, qrInHeader, optionOff),
	},
	{
		Name: "soap", Arguments: "on|off",
		Meaning:  "whether clients may also speak [SOAP](soap.md), at `/wsfev1/service.asmx`",
		Fallback: "`on`",
		Read:     directive.OneOf(func(g *Gateway) *string { return &g.SOAP }, optionOn, optionOff),
	},
	{
		Name: "public_url", Arguments: "<url>",
		Meaning:  "the address by which clients reach the site, such as `https://facturas.example.com`. The WSDL names it",
		Fallback: "the address that the request came to",
		Read: func(g *Gateway, d *caddyfile.Dispenser) error {
			if err := directive.OneArgument(d, &g.PublicURL); err != nil {
				return err
			}
			if err := binding.CheckPublicURL(g.PublicURL); err != nil {
				return d.WrapErr(err)
			}
			return nil
		},
	},
	{
		Name: "max_body", Arguments: "<size>",
		Meaning:  "the largest request, such as `4MiB`; from 1 KiB to 1 GiB",
		Fallback: "4 MiB",
		Read:     directive.Size(func(g *Gateway) *int64 { return &g.MaxBody }, bodyBounds),
	},
	{
		Name: "max_bodies", Arguments: "<size>",
		Meaning:  "how many bytes of requests are processed at a time, or of [what counts for them](outages.md#room-for-requests), such as `8MiB`; from 1 MiB to 64 GiB. It [bounds the memory](operating.md#memory)",
		Fallback: "8 MiB",
		Read:     directive.Size(func(g *Gateway) *int64 { return &g.MaxBodies }, bodiesBounds),
	},
	{
		Name: "max_answer", Arguments: "<size>",
		Meaning:  "the largest answer of the service, with its header, such as `16MiB`; from 64 KiB to 1 GiB. A larger one is cut off. The gateway then asks what became of an invoice, and refuses a query",
		Fallback: "16 MiB",
		Read:     directive.Size(func(g *Gateway) *int64 { return &g.MaxAnswer }, answerBounds),
	},
	{
		Name: "max_answers", Arguments: "<size>",
		Meaning:  "how many bytes of answers are processed at a time, such as `16MiB`; from 1 MiB to 64 GiB. It [bounds the memory](operating.md#memory). An answer that finds no room within `in_flight wait` is cut off",
		Fallback: "16 MiB",
		Read:     directive.Size(func(g *Gateway) *int64 { return &g.MaxAnswers }, answersBounds),
	},
	{
		Name: "cuits", Arguments: "<cuit>…",
		Meaning:  "the only issuers that may pass, with or without dashes; others get 403",
		Fallback: "all",
		Read:     directive.CUITs(func(g *Gateway) *[]directive.CUIT { return &g.Cuits }),
	},
	{
		Name: "upstream_timeout", Arguments: "<duration>",
		Meaning:  "the last resort against an upstream that never finishes",
		Fallback: "2m",
		Read:     directive.Duration(func(g *Gateway) *caddy.Duration { return &g.UpstreamTimeout }, "2m"),
	},
	{
		Name: "replay", Arguments: "on|off",
		Meaning:  "whether a repeat is answered from the trail, see [exactly once](exactly-once.md)",
		Fallback: "`on`",
		Read:     directive.OneOf(func(g *Gateway) *string { return &g.Replay }, optionOn, optionOff),
	},
	{
		Name: "series_wait", Arguments: "<duration>",
		Meaning:  "how long a request to issue waits for earlier ones of its series; then 503",
		Fallback: "10s",
		Read:     directive.Duration(func(g *Gateway) *caddy.Duration { return &g.SeriesWait }, "10s"),
	},
	{
		Name: "recover", Arguments: "within <duration>|off",
		Meaning: "`within`: how long the gateway asks about a request without an answer before it tells the client that the outcome is unknown. " +
			"The request counts as not issued if the service still says so after half of that time. `off`: the gateway asks nothing, and [exactly once does not hold](exactly-once.md#turning-it-off)",
		Fallback: "`within 20s`",
		Read:     (*Gateway).unmarshalRecover,
	},
	{
		Name: "sequence", Arguments: "observe|enforce|off",
		Meaning:  "what happens to a number that does not follow the last one authorised (10016, or 703 in a FECAEARegInformativo). `observe` records it. `enforce` asks the service for its last number and refuses if that confirms it. `off` does nothing",
		Fallback: "`observe`",
		Read:     directive.OneOf(func(g *Gateway) *string { return &g.Sequence }, sequenceObserve, sequenceEnforce, sequenceOff),
	},
	{
		Name: "cache", Arguments: "<ttl> [stale <limit>]|off",
		Meaning:  "how long an answer about tables, rates or the largest lot is given again without asking. `stale`: how old such an answer may be while the service gives none. `off` asks each time. See [tables when the service is down](outages.md#tables-when-the-service-is-down)",
		Fallback: "`5m stale 24h`",
		Read:     (*Gateway).unmarshalCache,
	},
	{
		Name: "deadline", Arguments: "issuing|caea|query|table|health <duration>", Repeatable: true,
		Meaning:  "how long the operations of one family may take at the service; one line for each family",
		Fallback: "`upstream_timeout`, but at most 30s for `query` and `table`, 10s for `health` (FEDummy)",
		Read:     (*Gateway).unmarshalDeadline,
	},
	{
		Name: "in_flight", Arguments: "[issuing <n>] [tables <n>] [queries <n>] [wait <duration>]",
		Meaning:  "how many requests of each kind are at the service at a time, see [overload and outages](outages.md#room-at-the-service). `wait`: how long a request waits for room",
		Fallback: "`issuing 256 tables 32 queries 64 wait 5s`",
		Read:     (*Gateway).unmarshalInFlight,
	},
	{
		Name: "breaker", Arguments: "<failures> [rest <duration>] [service <name>]|off [service <name>]",
		Meaning:  "after how many failures in a row [nothing is issued](outages.md#the-breaker). `rest`: how long until the gateway checks again. `service`: the name of the service, if handlers with one store have different ones behind them. `off`: nothing is refused and no outage begins; an outage under way ends with the first answer",
		Fallback: "`5 rest 10s`",
		Read:     (*Gateway).unmarshalBreaker,
	},
}, clientOptions...)
