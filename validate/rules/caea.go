package rules

import (
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// caeaRules are about the advance code and the moment of issue of an invoice that
// was issued under it.
var caeaRules = []rule{
	{
		codes: codes{caea.seq(782)}, invoice: advanceCodeHasItsDigits,
		es: "CAEA debe tener 14 dígitos.",
		en: "CAEA is missing or has not 14 digits.",
	},
	{
		codes: codes{caea.exc(780)},
		es:    "El CAEA no está registrado.",
		en:    "The CAEA is not registered.",
	},
	{
		codes: codes{caea.exc(705)},
		es:    "El CAEA fue otorgado a otra CUIT.",
		en:    "The CAEA belongs to another CUIT.",
	},
	{
		codes: codes{caea.exc(1414)},
		es:    "El CAEA todavía no está vigente: el comprobante se informa a partir de su vigencia.",
		en:    "The invoice is reported before its CAEA is valid.",
	},
	{
		codes: codes{caea.obs(1424)},
		es:    "El CAEA ya fue informado sin movimiento para este punto de venta.",
		en:    "The CAEA was reported as without movement for this point of sale.",
	},
	{
		codes: codes{caea.exc(1440)},
		also:  []Source{rgContingency},
		es:    missingMomentSpanish,
		en:    missingMomentEnglish,
	},
	{
		// Before, only the service knows which points of sale are for contingency.
		codes: codes{caea.exc(1440)}, from: allContingency, invoice: momentIsSent,
		also: []Source{rgContingency},
		es:   missingMomentSpanish,
		en:   missingMomentEnglish,
	},
	{
		codes: codes{caea.exc(1441)}, invoice: momentIsOne,
		es: "CbteFchHsGen debe ser una fecha y hora, aaaammddhhmmss.",
		en: "CbteFchHsGen is no moment written yyyymmddhhmmss.",
	},
	{
		codes: codes{caea.obs(1442)},
		es:    "CbteFchHsGen se informa solo en puntos de venta de contingencia.",
		en:    "CbteFchHsGen is sent for a point of sale that is not for contingency.",
	},
	{
		codes: codes{caea.obs(1445)}, invoice: momentIsNearTheDate,
		also: []Source{byMeaning},
		es:   "CbteFch está a más de 5 días de CbteFchHsGen, o a más de 10 si hay servicios.",
		en:   "CbteFch is more than 5 days away from CbteFchHsGen, 10 where there are services.",
	},
	{
		// The service's table has the number twice; which of the two it means when it
		// sends it is open (docs/sources.md#code-1445).
		codes: codes{caea.exc(1445), caea.exc(1446)},
		also:  []Source{byMeaning},
		es:    "El receptor de la FCE no está activo en el padrón.",
		en:    "The receiver of a credit invoice MiPyME is not active in the register.",
	},
}

const (
	missingMomentSpanish = "Falta CbteFchHsGen: es obligatorio en puntos de venta de contingencia."
	missingMomentEnglish = "CbteFchHsGen is missing for a point of sale for contingency."
)

// allContingency is the day since when every CAEA point of sale is for
// contingency (docs/sources.md#contingency).
const allContingency = wsfev1.Date("20260801")

func advanceCodeHasItsDigits(c *invoiceCheck) {
	if code := c.CAEA.CAEA; !areDigits(code, 14) {
		c.wrong("CAEA", code, "14 dígitos")
	}
}

// momentIsSent leaves an invoice of an earlier day, reported late, to the service:
// its point of sale may not have been for contingency.
func momentIsSent(c *invoiceCheck) {
	if c.CAEA.CbteFchHsGen == "" && (c.CbteFch >= allContingency || !c.CbteFch.Valid()) {
		f := c.find(c.pointer("CbteFchHsGen"))
		f.Expected = "la fecha y hora de emisión, aaaammddhhmmss"
		f.Text = "Falta CbteFchHsGen: informe la fecha y hora de emisión, aaaammddhhmmss"
	}
}

func momentIsOne(c *invoiceCheck) {
	if moment := c.CAEA.CbteFchHsGen; moment != "" && !moment.Valid() {
		c.wrong("CbteFchHsGen", string(moment), "")
	}
}

func momentIsNearTheDate(c *invoiceCheck) {
	window := 10
	switch c.Concepto {
	case 1:
		window = 5
	case 2, 3:
	default:
		return // rule 713
	}
	moment, ok := c.CAEA.CbteFchHsGen.Date().Time()
	day, valid := c.CbteFch.Time()
	if !ok || !valid {
		return // rules 1440, 1441 and 783
	}
	if apart := day.Sub(moment).Abs(); apart > time.Duration(window)*24*time.Hour {
		f := c.wrong("CbteFch", string(c.CbteFch), "a "+number(int32(window))+" días o menos de "+string(c.CAEA.CbteFchHsGen.Date()))
		f.Text = "CbteFch " + validate.DayText(c.CbteFch) + " está a más de " + number(int32(window)) + " días de CbteFchHsGen, del " + validate.DayText(c.CAEA.CbteFchHsGen.Date())
	}
}
