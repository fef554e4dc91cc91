// Package backend is Fielato's built-in invoicing service: a simulator of
// Argentina's WSFEv1 over a ledger.
//
// Nothing in here is ARCA's. No invoice that it authorises exists for the tax
// authority, and its codes say so: a CAE of this package begins with 9 and a
// CAEA with 4, digits that the service's own codes of 2010 to 2026 never begin
// with (AuthorisationCode). It is for tests, for demonstrations and for
// development against something that answers like the service.
//
// The way of a request:
//
//  1. Answer looks up the operation and checks the credentials. Any Token and Sign
//     that are not empty do, unless Options.Tickets is stricter; others get 600.
//  2. Options.Judge tells what the rules find wrong with the request. They are
//     not implemented here: one implementation of each rule is enough.
//  3. What only the service can know is checked here: points of sale, the next
//     number of a series and its last date, advance codes and their validity.
//  4. An operation that changes something runs as one Ledger.Update. The next
//     number is checked and taken inside it, never in Go memory, so several
//     backends can share one ledger. When Update returns, the invoice is durable;
//     only then does Answer return.
//
// A lot is processed in order. The first rejection ends it: what was approved
// before stays approved, what comes after is R without Observaciones.
//
// Everything works at once with any CUIT: an issuer that no register names has the
// points of sale 1 and 2 for CAE, 3 and 4 for CAEA.
//
// What a rule of the register does where the service's own text leaves it open:
//
//   - 10000 says the first reason that holds. Under a CAEA only who is not active or
//     has no electronic invoices is refused (05, 02); the rest is observed there.
//   - A number that belongs to nobody is 10238, with 10017 in class A and 10015 in class
//     B; 10247 is for one that is there and not active.
//   - 10188 asks for the parties alone, a PyME that sells to a large company; 10192
//     asks for the minimum too, and rejects.
//   - A credit invoice to one who is not active is 1446, never 1445, which is the
//     distance of CbteFchHsGen.
//   - The class of a point of sale for CAEA (1444) is that of its owner's condition.
//   - 10235 and 10236 compare the invoice with the limits of the issuer.
//
// The reference tables are embedded from tables/, one file with tab-separated
// columns for each.
package backend
