package gateway

import (
	"context"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/clients"
	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/wsfev1"
)

// unmarshalRow reads the block of a client or a reader.
func (g *Gateway) unmarshalRow(d *caddyfile.Dispenser) error {
	row, err := access.UnmarshalRow(d)
	g.Clients = append(g.Clients, row)
	return err
}

// provisionClients makes the table of clients and readers.
func (g *Gateway) provisionClients(a *app.App) (err error) {
	slots := g.way.Slots
	g.access, err = access.New(access.Options{
		Rows: g.Clients, File: g.ClientsFile, Tickets: g.TicketCertificate != "", Line: g.Line,
		Everybody: g.Readers == clients.All,
	}, access.Slots{
		Issuing: slots[wsfev1.FamilyIssuing], Others: []*limit.Limit{slots[wsfev1.FamilyQuery], slots[wsfev1.FamilyTable]},
		Memory: g.way.Bodies.Limits(),
	}, g.logger)
	if err != nil {
		return err
	}
	if err := access.CheckReaders(g.Readers); err != nil {
		return err
	}
	access.Join(a, g.place, g.access, g.Readers == clients.All)
	if g.access == nil {
		return nil
	}
	a.Run(g.access.Task())
	if g.access.Enforced() {
		g.way.Book.Clients = g.access
		g.way.Book.TicketHolder = func(auth wsfev1.Auth, now time.Time) string { return g.tickets.Holder(auth, now) }
	}
	return nil
}

// recordClients records in the trail by which table the gateway judges from now on.
func (g *Gateway) recordClients(t *trail.Trail) error {
	if g.access != nil {
		return g.access.Open(t)
	}
	return access.Close(t, g.Line, g.now())
}

// recordedClients is the setting that the trail says by which table the gateway judges. A configuration that has failed
// to start has recorded its own before.
type recordedClients struct{ gateway *Gateway }

// Apply implements app.Setting. Without an open trail nothing is judged.
func (c recordedClients) Apply() error {
	g := c.gateway
	ctx, cancel := context.WithTimeout(context.Background(), trail.AppendTimeout)
	defer cancel()
	t, leave, err := g.trailHandle.Enter(ctx)
	if err != nil {
		return nil // its handlers report it
	}
	defer leave()
	if err := g.recordClients(t); err != nil {
		return err
	}
	var all []*access.Access
	for _, other := range g.configured.all {
		if other.access != nil && other.trailHandle.Key == g.trailHandle.Key {
			all = append(all, other.access)
		}
	}
	return access.Confirm(t, g.access, all, g.now())
}

// clientOptions are the options of the directive about clients and readers.
var clientOptions = []directive.Option[Gateway]{
	{
		Name: string(clients.RoleClient), Arguments: "<name> { … }", Repeatable: true,
		Meaning:  "a program that may send requests, with what proves who it is, and its rights: see [the block of client](#the-block-of-client) and [its page](access.md). With one, everybody else gets 403",
		Fallback: "whoever reaches the gateway may send everything",
		Read:     (*Gateway).unmarshalRow,
	},
	{
		Name: "clients", Arguments: "<path>",
		Meaning:  "a file with more clients and readers, [one line for each](access.md#a-line-for-each-customer). It is read again when it changes",
		Fallback: "none",
		Read:     func(g *Gateway, d *caddyfile.Dispenser) error { return directive.OneArgument(d, &g.ClientsFile) },
	},
	{
		Name: string(clients.RoleReader), Arguments: "<name> { … }", Repeatable: true,
		Meaning:  "a person who may see the records of some issuers in the console: see [who sees what](access.md#who-sees-what)",
		Fallback: "see [the console](console.md#who-may-see-it)",
		Read:     (*Gateway).unmarshalRow,
	},
	access.ReadersOption(func(g *Gateway) *string { return &g.Readers },
		"with any `client` or `reader`, only readers see records, and who is at this machine; without rows, a console is for this machine alone, or says itself who may see all"),
}
