package gateway

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/exchange"
	"github.com/fielato/fielato/caddymodule/internal/outage"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

func init() { caddy.RegisterModule(new(Gateway)) }

// Gateway is the checkpoint in front of an invoicing service that speaks WSFEv1 as JSON over
// HTTP. It checks every request, keeps evidence of every exchange before the client gets its
// answer, and hands valid requests to the next handler: Caddy's own reverse_proxy, or
// wsfev1_backend. Within its matcher nothing passes that is not one of the operations.
//
// Once a request was admitted these placeholders are set:
//
// Placeholder | Description
// ------------|------------
// `{http.wsfev1.operation}` | The operation's name
// `{http.wsfev1.outcome}` | What became of it, one word
// `{http.wsfev1.certainty}` | `answered`, `not_sent` or `unknown`
// `{http.wsfev1.record}` | The record's address: log/index
type Gateway struct {
	// Audit is the store of the trail, a module in the namespace
	// `http.handlers.wsfev1.stores`. Default: `sqlite` in Caddy's data folder.
	// There is no way to do without.
	AuditRaw json.RawMessage `json:"audit,omitempty" caddy:"namespace=http.handlers.wsfev1.stores inline_key=store"`

	// Trail configures how the trail is kept.
	Trail trail.Options `json:"trail,omitzero"`

	// Contract is the set of allowed operations and members: `base`, exactly the twenty operations and
	// their members; or `arca`, also the live service's additions to them. Default: `arca`.
	Contract string `json:"contract,omitempty"`

	// Mode is what rules do: `enforce` refuses what they find, as the service
	// would; `observe` only writes it down and forwards, but for the rules that
	// are enforced by name. What breaks the contract's shape is refused in both.
	// Default: `enforce`.
	Mode string `json:"mode,omitempty"`

	// Rules sets single rules apart from their defaults: the service's code, and
	// `enforce`, `observe` or `off`. One that is named with `enforce` or `observe`
	// is judged also before the day on which the service begins to apply it.
	Rules map[string]validate.Level `json:"rules,omitempty"`

	// AbsoluteTolerance is how far sums and products may be off, in the currency of
	// the invoice; a sum may be off by that much for each of its parts. Default: 0.01.
	AbsoluteTolerance wsfev1.Amount `json:"absolute_tolerance,omitzero"`

	// RelativeTolerance is the same as a fraction of the amount; the larger of the
	// two counts. Default: 0.0001, which is 0.01 %.
	RelativeTolerance wsfev1.Amount `json:"relative_tolerance,omitzero"`

	// ConsumerFinalThreshold is the amount in pesos from which the receiver of a
	// class B voucher must be identified. Default: the one in force on the day.
	ConsumerFinalThreshold wsfev1.Amount `json:"consumer_final_threshold,omitzero"`

	// FCEMinimum is the amount in pesos from which an invoice may have to be a
	// credit invoice MiPyME (rule 10192). Default: the one in force on the day.
	FCEMinimum wsfev1.Amount `json:"fce_minimum,omitzero"`

	// Ticket decides about a Token that is a readable WSAA ticket: `check` refuses one that has
	// expired, is for another service or does not cover the issuer, as the service would (600);
	// `off` looks at none. Default: `check`.
	Ticket string `json:"ticket,omitempty"`

	// TicketCertificate is the path of the authority's certificate, PEM. With it,
	// Sign must be its signature of Token, and a Token that is no ticket is refused.
	// Placeholders such as {env.NAME} are replaced when the configuration is loaded.
	TicketCertificate string `json:"ticket_certificate,omitempty"`

	// Wsaa are certificates with which the gateway logs in at WSAA itself. Requests without a ticket
	// get the ticket of the certificate for their issuer.
	Wsaa []tickets.Options `json:"wsaa,omitempty"`

	// Fill declares what invoices get that lack CondicionIVAReceptorId. Default: nothing.
	Fill *Fill `json:"fill,omitempty"`

	// OpenAPI is the path at which the description of the interface is served to GET, such
	// as `/openapi.json`. Default: it is not served.
	OpenAPI string `json:"openapi,omitempty"`

	// QR: with `header`, an answer that approves invoices has a header Wsfev1-Qr with the text
	// of the QR code of each (RG 4892/2020). The body of the answer stays as it came. An answer
	// with more than ten approved invoices, or with one whose code cannot be composed, has no
	// such header, and neither has one of the built-in service. Default: `off`.
	QR string `json:"qr,omitempty"`

	// SOAP: clients may also speak SOAP 1.1 and 1.2, at the path of the service's own, `on` or
	// `off`. Default: `on`.
	SOAP string `json:"soap,omitempty"`

	// PublicURL is the address by which clients reach the site, such as
	// `https://facturas.example.com`, for the WSDL. Default: the one that the request came to.
	PublicURL string `json:"public_url,omitempty"`

	// MaxBody is the largest request body in bytes, from 1 KiB to 1 GiB. Default: 4 MiB.
	MaxBody int64 `json:"max_body,omitempty"`

	// MaxBodies is how many bytes of request bodies are at work at a time, from when they
	// were read to when they are answered; each gateway of a configuration counts for
	// itself. One counts by what may be made of it if that is more. Those that count 64 KiB
	// and less have a quarter as much apart, so that they never wait for larger ones. A request that finds no room waits as long as InFlight says.
	// From 1 MiB to 64 GiB. Default: 8 MiB.
	MaxBodies int64 `json:"max_bodies,omitempty"`

	// MaxAnswer is the largest answer of the service in bytes, its header included; one that is
	// larger is cut off. From 64 KiB to 1 GiB. Default: 16 MiB.
	MaxAnswer int64 `json:"max_answer,omitempty"`

	// MaxAnswers is how many bytes of answers of the service are at work at a time, from when they are read
	// to when they are given; each gateway of a configuration counts for itself. Answers of 64 KiB and less
	// have a budget of their own, a quarter as large. Answers above 1 MiB, larger than any genuine one,
	// have one as large as MaxAnswers. Another one as large bounds the memory that answers take beyond
	// their bytes. An answer that finds no room stays on its connection for as long as InFlight says, and
	// is then cut off. From 1 MiB to 64 GiB. Default: 16 MiB.
	MaxAnswers int64 `json:"max_answers,omitempty"`

	// Cuits are the issuers that may pass; all if there are none.
	Cuits []directive.CUIT `json:"cuits,omitempty"`

	// Clients are the only senders whose requests are taken, and the readers of the console; everybody may
	// send and read if there are none.
	Clients []clients.Row `json:"clients,omitempty"`

	// ClientsFile is the path of a file with more of them, one on each line. It is read again when it changes.
	// Placeholders such as {env.NAME} are replaced when the configuration is loaded.
	ClientsFile string `json:"clients_file,omitempty"`

	// Readers: with `*`, everybody who gets through the authentication in front sees all records in the console,
	// but for those who have a row. Default: so it is without Clients and ClientsFile; with them, only readers do.
	Readers string `json:"readers,omitempty"`

	// UpstreamTimeout is how long the next handler may take in all. It is the last
	// resort where reverse_proxy has no time-outs of its own: its
	// response_header_timeout should be shorter. Default: 2 minutes.
	UpstreamTimeout caddy.Duration `json:"upstream_timeout,omitempty"`

	// Deadlines are how long the next handler may take for the operations of a family,
	// in place of UpstreamTimeout: `issuing`, `caea`, `query`, `table`, `health`. Default:
	// UpstreamTimeout, but at most 30 seconds for queries and tables and 10 for FEDummy.
	Deadlines map[string]caddy.Duration `json:"deadlines,omitempty"`

	// InFlight limits how many requests are at the service at a time.
	InFlight InFlight `json:"in_flight,omitzero"`

	// Breaker configures when the service is taken not to answer.
	Breaker outage.Options `json:"breaker,omitzero"`

	// Replay: a request that was answered before is answered again from the trail, `on` or
	// `off`. Default: `on`.
	Replay string `json:"replay,omitempty"`

	// SeriesWait is how long a request that issues waits for earlier requests of the same series.
	// Default: 10 seconds.
	SeriesWait caddy.Duration `json:"series_wait,omitempty"`

	// Recover: the service is queried about a request to which no answer came, `on` or
	// `off`. With `off` exactly once does not hold: the outcome stays unknown, the same request is sent again when it comes again, and so are its numbers with another
	// content and the numbers after them. Default: `on`.
	Recover string `json:"recover,omitempty"`

	// RecoverWithin is how long the service is asked about a request to which no answer
	// came, before the client is told that the outcome is unknown. Default: 20 seconds.
	RecoverWithin caddy.Duration `json:"recover_within,omitempty"`

	// Sequence is the action on numbers that do not follow the last one that the
	// service authorised (10016): `observe` writes it down, `enforce` asks the service
	// for its last number and refuses if it confirms, `off` does nothing. Default:
	// `observe`.
	Sequence string `json:"sequence,omitempty"`

	// Cache: answers of the service that change rarely are cached (tables, rates and the
	// largest lot), `on` or `off`. Default: `on`.
	Cache string `json:"cache,omitempty"`

	// CacheTTL is how long such an answer is given without asking the service.
	// Default: 5 minutes.
	CacheTTL caddy.Duration `json:"cache_ttl,omitempty"`

	// CacheStale is how old such an answer may be that is given because the service has
	// none. Default: 24 hours, or cache_ttl if that is longer.
	CacheStale caddy.Duration `json:"cache_stale,omitempty"`

	// Line is where the directive stands, such as `Caddyfile:12`. It is for messages alone.
	Line string `json:"line,omitempty"`

	// way leads the exchanges. Provision makes it.
	way         *exchange.Way
	contract    validate.Contract
	trailHandle *app.Handle[*trail.Trail]
	logger      *zap.Logger
	// access is the table of clients and readers, nil for none.
	access *access.Access
	// tickets checks the tickets that can be read.
	tickets *wsaa.Checker
	// configured are all gateways of the configuration, of which this is the one at place.
	configured *gateways
	place      app.Place
	// now is the machine's clock. clock is the time as of which requests are judged: the built-in service's,
	// if the configuration has one.
	now   func() time.Time
	clock *app.SharedClock
}

// DefaultUpstreamTimeout is the default of upstream_timeout. It is longer than the minute that
// the service can take.
const DefaultUpstreamTimeout = 2 * time.Minute

const (
	modeEnforce = "enforce"
	modeObserve = "observe"
)

// CaddyModule returns the Caddy module information.
func (*Gateway) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.wsfev1", New: func() caddy.Module { return new(Gateway) }}
}

// ServeHTTP implements caddyhttp.MiddlewareHandler: it leads one exchange. It answers every request itself
// and returns an error only for a misconfiguration or a bug.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if g.serveOpenAPI(w, r) || g.way.Policy.SOAP && binding.ServeSOAPDocument(w, r, g.PublicURL, g.contract) {
		return nil
	}
	t, leave, err := g.trailHandle.Enter(r.Context())
	if err != nil {
		return g.way.TurnAway(w, r, err)
	}
	defer leave()
	return g.way.Serve(t, w, r, next)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Gateway)(nil)
	_ caddy.Validator             = (*Gateway)(nil)
	_ caddyhttp.MiddlewareHandler = (*Gateway)(nil)
)
