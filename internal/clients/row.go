package clients

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Role is what a row is about.
type Role string

// The roles. A client sends requests, a reader sees records.
const (
	RoleClient Role = "client"
	RoleReader Role = "reader"
)

// All stands for all values in Row.Cuits, Row.PtoVta, Row.CbteTipo and Row.May.
const All = "*"

// Row is what somebody has written about one client or reader. Its texts are checked by NewTable. In a
// Caddyfile and in a file of rows each field is a word, which the tag names, and its arguments.
type Row struct {
	// Role is RoleClient by default.
	Role Role `json:"role,omitempty"`
	// Name names the row: letters, digits, dots, dashes and underscores, at most 64.
	Name string `json:"name"`

	// User, Certificate, CertificateSAN, CertificateKey and Ticket are identities: see the kinds of the same
	// names. Whoever has proven one of them is this client or reader. There must be one.
	User           []string `json:"user,omitempty"`
	Certificate    []string `json:"certificate,omitempty"`
	CertificateSAN []string `json:"certificate_san,omitempty"`
	CertificateKey []string `json:"certificate_key,omitempty"`
	Ticket         []string `json:"ticket,omitempty"`

	// Cuits are the issuers. There must be one, or "*".
	Cuits []string `json:"cuits,omitempty"`
	// PtoVta are the points of sale, all if there are none.
	PtoVta []string `json:"pto_vta,omitempty"`
	// CbteTipo are the types of vouchers, all if there are none.
	CbteTipo []string `json:"cbte_tipo,omitempty"`
	// May are the operations: "issue", "caea", "query", "tables", names of operations, or "*". A client must
	// have one. FEDummy needs none.
	May []string `json:"may,omitempty"`
	// MaxAmount is the largest total of an invoice, in pesos; an invoice in another currency counts by its
	// own rate. No bound if it is empty.
	MaxAmount string `json:"max_amount,omitempty"`

	// Rate is how many requests the client may send in which time, and how many at once: "10/s", or "10/s",
	// "burst", "20". No bound if it is empty. Share is how many of its requests that issue may be at the
	// service at a time.
	Rate  []string `json:"rate,omitempty"`
	Share string   `json:"share,omitempty"`

	// Mask: the reader sees no documents of receivers until they are revealed.
	Mask bool `json:"mask,omitempty"`

	// Line is where the row stands, such as "Caddyfile:12". It is for messages alone.
	Line string `json:"line,omitempty"`
}

// word is a field of a row. One of list, text and flag is set.
type word struct {
	name string
	// role is the role that has it, empty for both.
	role Role
	list func(*Row) *[]string // any number of arguments
	text func(*Row) *string   // one argument
	flag func(*Row) *bool     // no argument
}

// words are the fields of a row, in the order of the canonical text.
var words = []word{
	{name: string(User), list: func(r *Row) *[]string { return &r.User }},
	{name: string(Certificate), list: func(r *Row) *[]string { return &r.Certificate }},
	{name: string(CertificateSAN), list: func(r *Row) *[]string { return &r.CertificateSAN }},
	{name: string(CertificateKey), list: func(r *Row) *[]string { return &r.CertificateKey }},
	{name: string(Ticket), list: func(r *Row) *[]string { return &r.Ticket }},
	{name: "cuits", list: func(r *Row) *[]string { return &r.Cuits }},
	{name: "pto_vta", role: RoleClient, list: func(r *Row) *[]string { return &r.PtoVta }},
	{name: "cbte_tipo", role: RoleClient, list: func(r *Row) *[]string { return &r.CbteTipo }},
	{name: "may", role: RoleClient, list: func(r *Row) *[]string { return &r.May }},
	{name: "max_amount", role: RoleClient, text: func(r *Row) *string { return &r.MaxAmount }},
	{name: "rate", role: RoleClient, list: func(r *Row) *[]string { return &r.Rate }},
	{name: "share", role: RoleClient, text: func(r *Row) *string { return &r.Share }},
	{name: "mask", role: RoleReader, flag: func(r *Row) *bool { return &r.Mask }},
}

// Words returns the words that a row of this role may have; no role is a client's.
func Words(role Role) (names []string) {
	role = cmp.Or(role, RoleClient)
	for _, w := range words {
		if w.role == "" || w.role == role {
			names = append(names, w.name)
		}
	}
	return names
}

// Set sets the field that a word names. A word that is given twice adds its arguments.
func (r *Row) Set(named string, arguments []string) error {
	at := slices.Index(Words(r.role()), named)
	if at < 0 {
		return fmt.Errorf("a %s has no %q: use %s", r.role(), named, strings.Join(Words(r.role()), ", "))
	}
	w := wordOf(named)
	switch {
	case w.flag != nil && len(arguments) > 0:
		return fmt.Errorf("%s takes no argument: leave %q out", named, arguments[0])
	case w.flag != nil:
		*w.flag(r) = true
	case len(arguments) == 0:
		return fmt.Errorf("%s: give its argument behind it", named)
	case w.text == nil:
		*w.list(r) = append(*w.list(r), arguments...)
	case len(arguments) > 1 || *w.text(r) != "":
		return fmt.Errorf("%s takes one argument", named)
	default:
		*w.text(r) = arguments[0]
	}
	return nil
}

func wordOf(named string) *word {
	return &words[slices.IndexFunc(words, func(w word) bool { return w.name == named })]
}

func (r *Row) role() Role { return cmp.Or(r.Role, RoleClient) }

// identities returns the identities of the row.
func (r *Row) identities() (all []name) {
	for _, kind := range Kinds {
		for _, text := range *wordOf(string(kind)).list(r) {
			all = append(all, name{kind, text})
		}
	}
	return all
}
