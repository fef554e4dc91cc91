package backend

import (
	"context"
	"fmt"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// examination is one invoice held against what only the service knows.
type examination struct {
	*call
	*wsfev1.FECAEDetRequest
	// CAEA is the same invoice if it is one under an advance code, or nil.
	CAEA     *wsfev1.FECAEADetRequest
	CbteTipo int32
	Class    wsfev1.Class

	backend  *Backend
	register *Register
	issuer   *Taxpayer
	point    *PointOfSale
	// receiver is the one whose CUIT, CUIL or CDI the invoice names, nil if it
	// names none.
	receiver *Taxpayer

	// associates are the vouchers of CbtesAsoc; remitoUses is firstUses of the lot.
	associates []associate
	remitoUses map[IssuedVoucher]int

	lot   *wsfev1.Lot
	index int
	// date is CbteFch, or today if it was not sent.
	date wsfev1.Date
}

// theInvoice is the member that a rule names which finds no single one wrong.
const theInvoice = "/"

// The service's own text leaves some rules of the register open. Here they mean:
//
//   - 10000 names the first reason that holds. Under a CAEA only an issuer that is not active
//     or has no electronic invoices is refused (05, 02); the other reasons are observed.
//   - A number that does not exist is 10238, with 10017 in class A and 10015 in class B;
//     10247 is for one that exists and is not active.
//   - 10188 depends on the parties alone, a PyME that sells to a large company; 10192 depends
//     on the minimum too, and rejects.
//   - A credit invoice to a receiver that is not active is 1446, never 1445, which is the
//     distance of CbteFchHsGen.
//   - The class of a point of sale for CAEA (1444) follows from its owner's condition.
//   - 10235 and 10236 compare the invoice with the limits of the issuer.

// registerRule is a rule that the register decides. Each operation has its own code,
// 0 if it has none; both stand in the catalogue of package validate, which knows
// their severity, their types of voucher and since when they hold.
type registerRule struct {
	cae, caea int32
	// find returns the member that breaks the rule, within the invoice: "DocNro"; no
	// text if none does.
	find func(*examination) string
}

// ledgerRule is a rule that the ledger decides. It runs within an Update, and only for invoices
// that have what it examines.
type ledgerRule struct {
	cae, caea int32
	find      func(context.Context, Reader, *examination) (string, error)
}

// examineRegister returns the register's findings about the invoice.
func (b *Backend) examineRegister(x *examination) []validate.Finding {
	findings := b.apply(nil, registerRules, x)
	if len(x.associates) > 0 {
		findings = b.apply(findings, asocRules, x)
	}
	return findings
}

func (b *Backend) apply(findings []validate.Finding, rules []registerRule, x *examination) []validate.Finding {
	for i := range rules {
		rule := &rules[i]
		if code := x.code(rule.cae, rule.caea); code != 0 {
			findings = b.report(findings, x, code, rule.find(x))
		}
	}
	return findings
}

// examineLedger returns the ledger's findings about the invoice.
func (b *Backend) examineLedger(ctx context.Context, ledger Reader, x *examination) ([]validate.Finding, error) {
	var findings []validate.Finding
	for i := range ledgerRules {
		rule := &ledgerRules[i]
		code := x.code(rule.cae, rule.caea)
		if code == 0 {
			continue
		}
		member, err := rule.find(ctx, ledger, x)
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", code, err)
		}
		findings = b.report(findings, x, code, member)
	}
	return findings, nil
}

// code returns the code of the operation that is under way.
func (x *examination) code(cae, caea int32) int32 {
	if x.CAEA != nil {
		return caea
	}
	return cae
}

// report adds the finding of a rule that a member breaks, if the rule is in force.
func (b *Backend) report(findings []validate.Finding, x *examination, code int32, member string) []validate.Finding {
	if member == "" {
		return findings
	}
	operation := authorising
	if x.CAEA != nil {
		operation = informing
	}
	f, ok := b.rules.Find(operation, code, x.CbteTipo, x.now, x.index, strings.TrimRight(x.lot.InvoicePointer(x.index)+"/"+member, "/"))
	if !ok {
		return findings
	}
	return append(findings, f)
}
