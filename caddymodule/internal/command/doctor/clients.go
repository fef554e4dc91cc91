package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/access"
	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/internal/clients"
)

// admission is a gateway with clients or readers.
type admission struct {
	options access.Options
	wsaa    []tickets.Options
	front   proof
}

// proof says how somebody can prove who they are.
type proof struct {
	users users
	// certificates are those that the site asks for.
	certificates asked
}

// asked is what a site asks of its clients' certificates.
type asked int

const (
	askedNothing asked = iota
	askedKey           // a certificate that nobody verifies: it proves its key alone
	askedVerified
)

// askedBy returns the most that any of the policies asks.
func askedBy(policies []tlsPolicy) (most asked) {
	for _, p := range policies {
		switch {
		case p.Clients == nil:
		case slices.Contains([]string{"request", "require"}, p.Clients.Mode):
			most = max(most, askedKey)
		default:
			most = askedVerified
		}
	}
	return most
}

// readAdmission reads the clients of a gateway. It reports false if there are none and no readers.
func readAdmission(raw []byte) (a admission, found bool) {
	var read struct {
		Wsaa []tickets.Options `json:"wsaa"`
	}
	options, err := access.OptionsOf(raw)
	if err != nil || json.Unmarshal(raw, &read) != nil {
		return a, false
	}
	a.options, a.wsaa = options, read.Wsaa
	return a, !options.IsEmpty()
}

// clientResults looks at the clients of the gateways. A table that cannot be made is left to the configuration's
// error.
func clientResults(c *config) (results []result) {
	const check = "clients"
	for _, a := range c.admissions {
		configured, err := access.ReadConfigured(a.options)
		if err != nil {
			continue
		}
		known := configured.Table.Clients()
		found := slices.Concat(a.wideResults(check, known), a.unknownIssuers(check, known), a.unprovenResults(check, known), a.misspelt(check, known),
			a.unseenResults(check, configured.Table, c.consoles))
		if found == nil {
			found = []result{ok(check, "%s %d, each with its own rights", a.name(), len(known))}
		}
		results = append(results, found...)
	}
	return results
}

// name begins a line about the gateway.
func (a *admission) name() string {
	if a.options.Line == "" {
		return "of the gateway:"
	}
	return a.options.Line + ":"
}

// wideResults names the clients that may do everything, or for everybody.
func (a *admission) wideResults(check string, known []*clients.Client) []result {
	wide := named(rowsOf(known), func(row *clients.Row) bool {
		return slices.Contains(row.Cuits, clients.All) || slices.Contains(row.May, clients.All)
	})
	if wide == "" {
		return nil
	}
	return []result{warn(check, "give each the cuits and the operations that it needs, and * only to one that needs all", "%s cuits * or may *: %s", a.name(), wide)}
}

// unknownIssuers names the issuers of wsaa for which no client may send anything.
func (a *admission) unknownIssuers(check string, known []*clients.Client) []result {
	if !a.options.Enforced() {
		return nil
	}
	prepared, err := tickets.Prepare(a.wsaa, time.Now())
	if err != nil {
		return nil // the certificates' results say so
	}
	var without []string
	for i := range prepared.Blocks {
		for _, cuit := range prepared.Blocks[i].Issuers() {
			text := cuit.String()
			has := func(c *clients.Client) bool {
				return slices.Contains(c.Row.Cuits, clients.All) || slices.Contains(c.Row.Cuits, text)
			}
			if !slices.ContainsFunc(known, has) && !slices.Contains(without, text) {
				without = append(without, text)
			}
		}
	}
	if len(without) == 0 {
		return nil
	}
	return []result{warn(check, "write it into the cuits of a client, or take it out of wsaa", "%s wsaa has CUITs that no client has: %s", a.name(), few(without))}
}

// rowsOf returns the rows of the clients.
func rowsOf(known []*clients.Client) []*clients.Row {
	rows := make([]*clients.Row, len(known))
	for i, c := range known {
		rows[i] = c.Row
	}
	return rows
}

// unprovenResults names the clients that nothing in front of the gateway can prove to be one.
func (a *admission) unprovenResults(check string, known []*clients.Client) (results []result) {
	for _, one := range unproven(rowsOf(known), []proof{a.front}) {
		cure := one.cure
		if one.users {
			cure = "put basic_auth or another authentication in front of wsfev1, or name the client by its certificate"
		}
		results = append(results, warn(check, cure, "%s known by %s, so that they get 403: %s", a.name(), one.found, one.who))
	}
	return results
}

// unseenResults names the readers that nothing in front of any console can prove to be one. Without a console nobody
// reads.
func (a *admission) unseenResults(check string, table *clients.Table, consoles []proof) (results []result) {
	if len(consoles) == 0 {
		return nil
	}
	var rows []*clients.Row
	for _, row := range table.Rows() {
		if row.Role == clients.RoleReader {
			rows = append(rows, &row)
		}
	}
	for _, one := range unproven(rows, consoles) {
		cure := one.cure
		if one.users {
			cure = "put basic_auth or another authentication in front of wsfev1_console, or name the reader by a certificate"
		}
		results = append(results, warn(check, cure, "%s readers of the console known by %s, so that nobody can be one: %s", a.name(), one.found, one.who))
	}
	return results
}

// unprovenRows are rows that nothing can prove.
type unprovenRows struct {
	// users: they are known by a user.
	users            bool
	found, cure, who string
}

// unproven returns the rows with an identity that none of the places can prove.
func unproven(rows []*clients.Row, places []proof) (all []unprovenRows) {
	var best proof
	for _, p := range places {
		best.users, best.certificates = best.users.and(p.users), max(best.certificates, p.certificates)
	}
	for _, one := range []struct {
		proven bool
		has    func(*clients.Row) bool
		unprovenRows
	}{
		{
			best.users.some, func(r *clients.Row) bool { return len(r.User) > 0 },
			unprovenRows{users: true, found: "their user, and no authentication stands in front"},
		},
		{
			best.certificates == askedVerified, func(r *clients.Row) bool { return len(r.Certificate)+len(r.CertificateSAN) > 0 },
			unprovenRows{
				cure:  "write client_auth with mode require_and_verify or verify_if_given, and a trust_pool, into the site's tls",
				found: "a certificate, and the site verifies none",
			},
		},
		{
			best.certificates >= askedKey, func(r *clients.Row) bool { return len(r.CertificateKey) > 0 },
			unprovenRows{cure: "write client_auth with a mode into the site's tls", found: "the key of a certificate, and the site asks for none"},
		},
	} {
		if one.who = named(rows, one.has); one.who != "" && !one.proven {
			all = append(all, one.unprovenRows)
		}
	}
	return all
}

// named returns the names of the rows that are meant, no text for none.
func named(rows []*clients.Row, meant func(*clients.Row) bool) string {
	var names []string
	for _, row := range rows {
		if meant(row) {
			names = append(names, row.Name)
		}
	}
	return few(names)
}

// maxNamed is how many names a line has.
const maxNamed = 5

// few joins the first of some names, and says how many more there are.
func few(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}
