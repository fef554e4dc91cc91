package backend

import "github.com/fielato/fielato/wsfev1"

// Register stands for the registers that the real service asks: the tax register, the registry of
// points of sale and the registers of the credit invoice regime. It does not change once it is
// read, and may be used from any goroutine.
//
// A taxpayer that it does not name is a Responsable Inscripto in good standing with the
// points of sale of defaultPoints, and may issue class C nevertheless. As a receiver it
// exists if its check digit is right.
type Register struct {
	taxpayers map[wsfev1.CUIT]*Taxpayer
	remitos   map[Voucher]*Remito
	// rejectedFCE are the credit invoices that their buyer has rejected.
	rejectedFCE map[IssuedVoucher]bool
}

// Voucher names a voucher of an issuer.
type Voucher struct {
	CbteTipo, PtoVta int32
	Nro              int64
}

// IssuedVoucher names a voucher.
type IssuedVoucher struct {
	Cuit wsfev1.CUIT
	Voucher
}

// Remito is a delivery note, registered elsewhere.
type Remito struct {
	Voucher
	// Receiver is the receiver of the goods, 0 for any.
	Receiver wsfev1.CUIT
	// Unconfirmed: the receiver has not confirmed it. Used: another voucher refers to it
	// already.
	Unconfirmed, Used bool
}

// IVA is how a taxpayer stands with the value-added tax.
type IVA string

// The conditions of a taxpayer.
const (
	ResponsableInscripto IVA = "responsable_inscripto"
	Monotributo          IVA = "monotributo"
	Exento               IVA = "exento"
	NoAlcanzado          IVA = "no_alcanzado"
	// SinImpuesto has neither IVA nor Monotributo.
	SinImpuesto IVA = "ninguno"
)

// Taxpayer is an entry of the register. The zero values of its flags describe a
// taxpayer in good standing, except for Pyme and OptedIn.
type Taxpayer struct {
	Cuit wsfev1.CUIT
	Name string
	IVA  IVA
	// unnamed: the register does not name the taxpayer. As an issuer it may issue every
	// class: everything works at once with any CUIT.
	unnamed bool

	// As a receiver. Unknown: the number does not exist (10238). NotCUIT: it is a
	// number of another kind (10284).
	Unknown, NotCUIT                                   bool
	Inactive, Apocryphal, Untrustworthy, Deceased      bool
	Large, Pyme, OptedIn, WithoutDomicile, NoEInvoices bool

	// As an issuer. Refused is the reason of code 10000, 1 to 11, 0 for none.
	Refused           int
	NotSelfPrinting   bool // 15001, until 2026-05-31
	AddressTrouble    bool // 10000 reason 03, 15009
	WithoutActivities bool // 10000 reason 06, 15011
	Financial, Surety bool
	// ClassAPending: the form that enables class A is pending; ClassAFrom is the day
	// from which class A is enabled, no text for ever.
	ClassAPending bool
	ClassAFrom    wsfev1.Date
	// IVAFrom is the first day on which IVA holds, no text for ever.
	IVAFrom wsfev1.Date
	// TopLimit and OwnLimit are the amounts in pesos of the highest category of
	// Monotributo and of the taxpayer's own; not sent for none.
	TopLimit, OwnLimit wsfev1.Amount
	// CBUs are the accounts registered to the taxpayer; any is, if there are none.
	CBUs []string
	// Projects are the taxpayer's projects of industrial promotion. If there are none, any will do.
	Projects []string
	// Activities are the activities of the taxpayer. If there are none, the activities of the
	// tables count, unless WithoutActivities is set.
	Activities []wsfev1.ActividadesTipo
	Points     []PointOfSale
}

// PointKind is what a point of sale issues with.
type PointKind string

// The kinds of points of sale.
const (
	PointCAE     PointKind = "cae"             // web service, RECE
	PointCAEA    PointKind = "caea"            // web service, CAEA, contingency
	PointAdvance PointKind = "caea_habitual"   // web service, CAEA as the usual way of issuing: until 2026-07-31
	PointExempt  PointKind = "cae_exento"      // web service, for issuers exempt from IVA
	PointSurety  PointKind = "segws"           // web service, surety insurance
	PointFiscal  PointKind = "impresor_fiscal" // fiscal printer
	PointOnline  PointKind = "en_linea"        // another system: FactuWeb, Comprobantes en línea
)

// PointOfSale is a point of sale of an issuer.
type PointOfSale struct {
	Number int32
	Kind   PointKind
	// From and Until are the first and last day on which it is registered; no text
	// where that is open.
	From, Until wsfev1.Date
	Blocked     bool
	// Address is equal for points at one place (15017); an empty one is a place of its own.
	Address string
}

// defaultPoints are the points of sale of an issuer that no register names.
var defaultPoints = []PointOfSale{
	{Number: 1, Kind: PointCAE},
	{Number: 2, Kind: PointCAE},
	{Number: 3, Kind: PointCAEA},
	{Number: 4, Kind: PointCAEA},
}

// Taxpayer returns the entry of a CUIT. One that the register does not name is in good
// standing. One that cannot exist is unknown.
func (r *Register) Taxpayer(cuit wsfev1.CUIT) *Taxpayer {
	if t := r.taxpayers[cuit]; t != nil {
		return t
	}
	t := inGoodStanding(cuit)
	t.unnamed = true
	return t
}

// point returns a point of sale of the taxpayer, or nil.
func (t *Taxpayer) point(number int32) *PointOfSale {
	for i := range t.Points {
		if t.Points[i].Number == number {
			return &t.Points[i]
		}
	}
	return nil
}

// emision is the EmisionTipo of invoices of this point, no text for a point that
// issues with neither CAE nor CAEA.
func (p *PointOfSale) emision() string {
	switch p.Kind {
	case PointCAE, PointExempt, PointSurety:
		return EmisionCAE
	case PointCAEA, PointAdvance:
		return EmisionCAEA
	}
	return ""
}

// open reports whether the point is in use on a day.
func (p *PointOfSale) open(day wsfev1.Date) bool {
	return !p.Blocked && (p.From == "" || p.From <= day) && (p.Until == "" || day <= p.Until)
}
