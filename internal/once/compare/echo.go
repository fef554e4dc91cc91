package compare

import (
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// echo is how FECompConsultar gives one member of an invoice back.
type echo struct {
	// same reports whether the service, which keeps this value, may have been sent that one.
	same func(in *invoices, sent, kept string) bool
	// loose: same may forgive a difference, so the member does not distinguish the items of
	// a list.
	loose bool
	// as is the name under which the service gives it back; empty for the same name.
	as string
	// source is where this is known from.
	source string
}

// invoices is what an echo may need besides the member: the issuer, and the kept invoice.
type invoices struct {
	issuer wsfev1.CUIT
	kept   *wsfev1.FECompConsResult
}

// Sources of an echo.
const (
	// recorded: pairs of request and consultation, 2011 to 2026, have it (docs/sources.md#recovery).
	recorded = "docs/sources.md#recovery, recorded"
	// defined: the definition of the answer extends the invoice's, and no recording
	// has one with the member and without it (docs/sources.md#contract).
	defined = "docs/sources.md#contract"
	// checked: a client that compares before it takes a CAE over, since 2011, compares it
	// or has given up comparing it (docs/sources.md#recovery).
	checked = "docs/sources.md#recovery, pyafipws"
)

// echoes has an entry for each member of an invoice, by its path. A member without one is
// compared as it stands. Forgiving too much takes another program's invoice for the one that
// was sent. Forgiving too little takes the one that was sent for another's, and its issuer
// numbers it anew and issues it twice. So figures and documents are never forgiven, nor is a
// list that only one side has. Only values that the service is known to change are forgiven, and
// values that it may change if the other members distinguish the invoices.
var echoes = map[string]echo{
	"Concepto":  {same: equal, source: recorded},
	"DocTipo":   {same: equal, source: recorded},
	"DocNro":    {same: equal, source: recorded},
	"CbteDesde": {same: equal, source: recorded},
	"CbteHasta": {same: equal, source: recorded},
	"CbteFch":   {same: filledIn, source: "docs/sources.md#fields: the day of the process"},

	"ImpTotal":   {same: amount, source: recorded},
	"ImpTotConc": {same: amount, source: recorded},
	"ImpNeto":    {same: amount, source: recorded},
	"ImpOpEx":    {same: amount, source: recorded},
	"ImpTrib":    {same: amount, source: recorded},
	"ImpIVA":     {same: amount, source: recorded},

	"FchServDesde": {same: notOfProducts, source: recorded},
	"FchServHasta": {same: notOfProducts, source: recorded},
	"FchVtoPago":   {same: notOfProducts, source: recorded},

	"MonId":    {same: anyCase, source: recorded + "; no two currencies differ in case alone"},
	"MonCotiz": {same: rate, source: recorded},
	// Services before 2025 do not know these two.
	"CanMisMonExt":           {same: paidAbroad, source: "docs/sources.md#fields; no recording has it"},
	"CondicionIVAReceptorId": {same: orUnknown, source: recorded + " since 2025"},

	"CbtesAsoc/CbteAsoc/Tipo":   {same: equal, source: recorded},
	"CbtesAsoc/CbteAsoc/PtoVta": {same: equal, source: recorded},
	"CbtesAsoc/CbteAsoc/Nro":    {same: equal, source: recorded},
	"CbtesAsoc/CbteAsoc/Cuit":   {same: ofIssuer, loose: true, source: checked},
	// The client has given up comparing it. The other members identify the voucher.
	"CbtesAsoc/CbteAsoc/CbteFch": {same: orAbsent, loose: true, source: checked},

	"Tributos/Tributo/Id":      {same: equal, source: recorded},
	"Tributos/Tributo/Desc":    {same: written(80), loose: true, source: recorded},
	"Tributos/Tributo/BaseImp": {same: amount, source: recorded},
	"Tributos/Tributo/Alic":    {same: amount, source: recorded},
	"Tributos/Tributo/Importe": {same: amount, source: recorded},

	"Iva/AlicIva/Id":      {same: equal, source: recorded},
	"Iva/AlicIva/BaseImp": {same: amount, source: recorded},
	"Iva/AlicIva/Importe": {same: amount, source: recorded},

	// According to the client they come in another order and form.
	"Opcionales/Opcional/Id":    {same: sameId, loose: true, source: checked},
	"Opcionales/Opcional/Valor": {same: written(250), loose: true, source: checked},

	"Compradores/Comprador/DocTipo":    {same: equal, source: checked},
	"Compradores/Comprador/DocNro":     {same: equal, source: checked},
	"Compradores/Comprador/Porcentaje": {same: amount, source: checked},

	"PeriodoAsoc/FchDesde":     {same: equal, source: defined},
	"PeriodoAsoc/FchHasta":     {same: equal, source: defined},
	"Actividades/Actividad/Id": {same: equal, source: checked},

	"CAEA":         {same: equal, as: "CodAutorizacion", source: "docs/sources.md#answers"},
	"CbteFchHsGen": {same: notEchoed, source: recorded},
}

func equal(_ *invoices, sent, kept string) bool { return sent == kept }

// anyCase is for a code that the service may write in capitals.
func anyCase(_ *invoices, sent, kept string) bool { return strings.EqualFold(sent, kept) }

func notEchoed(*invoices, string, string) bool { return true }

// filledIn is for values that the service chooses where they are not sent.
func filledIn(_ *invoices, sent, kept string) bool { return sent == "" || sent == kept }

// orAbsent is for values that either side may leave out.
func orAbsent(_ *invoices, sent, kept string) bool { return sent == "" || kept == "" || sent == kept }

// orUnknown is for a number that a service may not know.
func orUnknown(_ *invoices, sent, kept string) bool { return kept == "0" || sent == kept }

// notOfProducts is for dates that the service may leave out where products are sold.
func notOfProducts(in *invoices, sent, kept string) bool {
	return sent == kept || kept == "" && in.kept.Concepto == 1
}

// rate is for the rate of the currency: the service sets the rate of pesos, and may look up others.
func rate(in *invoices, sent, kept string) bool {
	if strings.EqualFold(strings.TrimSpace(in.kept.MonId), "PES") {
		return kept == "1" || kept == "0"
	}
	return sent == "0" || amount(in, sent, kept)
}

// paidAbroad is for S or N; an empty text means N.
func paidAbroad(_ *invoices, sent, kept string) bool {
	return kept == "" || strings.EqualFold(sent, kept) || sent == "" && strings.EqualFold(kept, "N")
}

// ofIssuer is for a CUIT that means the issuer if it is left out.
func ofIssuer(in *invoices, sent, kept string) bool {
	issuer := in.issuer.String()
	sent, kept = digitsOf(sent), digitsOf(kept)
	return sent == kept || sent == "" && kept == issuer || kept == "" && sent == issuer
}

// digitsOf returns the digits of a CUIT, however they are separated; none for zero.
func digitsOf(text string) string {
	return strings.TrimLeft(strings.Map(func(letter rune) rune {
		if letter < '0' || letter > '9' {
			return -1
		}
		return letter
	}, text), "0")
}

// sameId is for a code of digits, which the service may write without leading zeros.
func sameId(_ *invoices, sent, kept string) bool {
	return strings.TrimLeft(sent, "0") == strings.TrimLeft(kept, "0")
}

// written is for a text with a maximum length. The service may cut it there, change the blanks in it,
// trim those around it, and change a letter that is not ASCII.
func written(most int) func(*invoices, string, string) bool {
	return func(_ *invoices, sent, kept string) bool {
		return sent == kept || mayBecome(lettersOf(sent, most), lettersOf(kept, most))
	}
}
