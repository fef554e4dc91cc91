package access

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/internal/clients"
)

// ClientOptionTable and ReaderOptionTable have the words of a row, as options of its block.
var (
	ClientOptionTable = options(clients.RoleClient)
	ReaderOptionTable = options(clients.RoleReader)
)

// options returns the words of a role.
func options(role clients.Role) (all []directive.Option[clients.Row]) {
	for _, word := range clients.Words(role) {
		said := meanings[word]
		if role == clients.RoleReader && said.reader != "" {
			said.meaning = said.reader
		}
		all = append(all, directive.Option[clients.Row]{
			Name: word, Arguments: said.arguments, Repeatable: said.repeatable, Meaning: said.meaning, Fallback: said.fallback,
			Read: func(row *clients.Row, d *caddyfile.Dispenser) error {
				if err := row.Set(word, d.RemainingArgs()); err != nil {
					return d.Errf("%s %s: %v", row.Role, row.Name, err)
				}
				return nil
			},
		})
	}
	return all
}

// meaning is what the reference says of a word. reader is its meaning for a reader, if that is another one.
type meaning struct {
	arguments                 string
	repeatable                bool
	meaning, fallback, reader string
}

const noIdentity = "it is not known by that"

var meanings = map[string]meaning{
	"user": {"<name>…", true, "users of the authentication in front, such as `basic_auth`", noIdentity, ""},
	"certificate": {
		"<subject>…", true, "subjects of client certificates that were verified, such as `CN=erp,O=Example`", noIdentity, "",
	},
	"certificate_san": {
		"<name>…", true, "alternative names of such certificates: a DNS name, an e-mail address, an IP address or a URI", noIdentity, "",
	},
	"certificate_key": {
		"<sha256>…", true, "SHA-256 of the public keys of client certificates, in hexadecimal. They count whoever has signed the certificate", noIdentity, "",
	},
	"ticket": {
		"<subject>…", true, "subjects of the certificates that get the requests' access tickets at WSAA. It needs `ticket check` with the authority's certificate", noIdentity, "",
	},
	"cuits": {
		"<cuit>…|*", true, "the issuers that it may send requests for; `*` for all", "there must be one",
		"the issuers whose records it sees; `*` for all, and for what is about no issuer",
	},
	"pto_vta":    {"<number>…|*", true, "the points of sale, for requests that name one", "all", ""},
	"cbte_tipo":  {"<type>…|*", true, "the types of vouchers, for requests that name one", "all", ""},
	"may":        {"issue|caea|query|tables|<Operation>…|*", true, "the operations, by family or by name; `*` for all. FEDummy is for every client", "there must be one", ""},
	"max_amount": {"<amount>", false, "the largest total of an invoice, in pesos. An invoice in another currency counts by its own `MonCotiz`, and is refused without", "no bound", ""},
	"rate": {
		"<n>/s|<n>/m|<n>/h [burst <n>]", false, "how many requests it may send in a second, a minute or an hour, and how many at once; then 429", "no bound; `burst` is what the rate allows in a second", "",
	},
	"share": {"<n>", false, "how many of its requests that issue may be at the service at a time, see [shares](access.md#shares)", "all of `in_flight`", ""},
	"mask":  {"", false, "the documents of receivers are hidden until the reader reveals them", "they are shown", ""},
}
