package rules

import (
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// advanceRules are about the requests for advance codes and what was issued, or not,
// under them.
var advanceRules = []rule{
	{
		codes: codes{caeaSolicitar.err(15000)},
		es:    "La CUIT no está activa.",
		en:    "The CUIT is not active.",
	},
	{
		codes: codes{caeaSolicitar.err(15001)}, until: "20260531",
		es: "La CUIT no está registrada como autoimpresor.",
		en: "The CUIT is not registered as one that prints its own vouchers.",
	},
	{
		codes: codes{caeaSolicitar.err(15003)},
		es:    "La CUIT no tiene un punto de venta activo para CAEA.",
		en:    "The CUIT has no active point of sale for CAEA.",
	},
	{
		codes: codes{caeaSolicitar.err(15004), caeaConsultar.err(15004)}, request: askedPeriodoIsOne,
		es: "Periodo debe ser un mes, aaaamm, como 202612.",
		en: "Periodo is no month written yyyymm.",
	},
	{
		codes: codes{caeaSolicitar.err(15005), caeaConsultar.err(15005)}, request: askedOrdenIsOne,
		es: "Orden debe ser 1, la primera quincena, o 2, la segunda.",
		en: "Orden is not 1 or 2.",
	},
	{
		codes: codes{caeaSolicitar.err(15006)}, request: fortnightIsOpen,
		es: "El CAEA se solicita desde 5 días antes de la quincena y hasta su último día.",
		en: "The advance code is asked for before or after its time: from 5 days before the fortnight to its last day.",
	},
	{
		codes: codes{caeaSolicitar.err(15008)},
		es:    "Ya hay un CAEA para esa quincena: consulte FECAEAConsultar.",
		en:    "There is an advance code for the fortnight already.",
	},
	{
		codes: codes{caeaSolicitar.err(15009)},
		es:    "La CUIT tiene inconvenientes con su domicilio fiscal.",
		en:    "There is trouble with the fiscal address of the CUIT.",
	},
	{
		codes: codes{caeaSolicitar.err(15010)},
		es:    "La CUIT no está inscripta en Monotributo, en IVA ni como exenta.",
		en:    "The CUIT is registered neither in Monotributo nor in IVA nor as exempt.",
	},
	{
		codes: codes{caeaSolicitar.err(15011)},
		es:    "La CUIT no declaró ninguna actividad.",
		en:    "The CUIT has declared no activity.",
	},
	{
		codes: codes{caeaSolicitar.err(15012)},
		es:    "La CUIT no está empadronada para comprobantes electrónicos.",
		en:    "The CUIT is not registered for electronic vouchers.",
	},
	{
		codes: codes{caeaSolicitar.obs(15014)},
		es:    "La CUIT debe rendiciones de CAEA anteriores.",
		en:    "The CUIT owes reports on earlier advance codes.",
	},
	{
		codes: codes{caeaSolicitar.obs(15015)},
		es:    "La CUIT no tiene domicilio fiscal electrónico.",
		en:    "The CUIT has no electronic fiscal address.",
	},
	{
		codes: codes{caeaSolicitar.err(15016)}, from: allContingency,
		also: []Source{rgContingency},
		es:   "El CAEA es solo para contingencias: falta un punto de venta activo de CAE o un controlador fiscal.",
		en:   "There is no active point of sale for CAE, nor a fiscal printer, beside the ones for CAEA.",
	},
	{
		codes: codes{caeaSolicitar.obs(15017)}, from: allContingency,
		also: []Source{rgContingency},
		es:   "Hay puntos de venta de CAEA en domicilios sin punto de venta de CAE ni controlador fiscal.",
		en:   "There are points of sale for CAEA at an address that has none for CAE and no fiscal printer.",
	},
	{
		codes: codes{caeaSolicitar.obs(15018)}, from: allContingency,
		also: []Source{rgContingency},
		es:   "Recordatorio: informe los comprobantes emitidos por CAEA con CbteFchHsGen.",
		en:   "A reminder to send CbteFchHsGen with what is issued under a CAEA.",
	},
}

func (c *requestCheck) fortnight() *wsfev1.FECAEASolicitarRequest {
	return c.req.Body.(*wsfev1.FECAEASolicitarRequest)
}

func askedPeriodoIsOne(c *requestCheck) {
	if periodo := c.fortnight().Periodo; !wsfev1.IsPeriodo(periodo) {
		c.wrong("/Periodo", number(periodo), "")
	}
}

func askedOrdenIsOne(c *requestCheck) {
	if orden := c.fortnight().Orden; !wsfev1.IsOrden(orden) {
		c.wrong("/Orden", number(orden), "")
	}
}

func fortnightIsOpen(c *requestCheck) {
	r := c.fortnight()
	asked, ok := wsfev1.FortnightOf(r.Periodo, r.Orden)
	if !ok {
		return // rules 15004 and 15005
	}
	if today := c.calendar.today; today < asked.Opens() || today > asked.To {
		f := c.find("/Periodo")
		f.Expected = "del " + string(asked.Opens()) + " al " + string(asked.To)
		month := number(r.Periodo)
		f.Text = "El CAEA de la " + number(r.Orden) + ".ª quincena de " + month[4:] + "/" + month[:4] + " se solicita del " +
			spanText(asked.Opens(), asked.To) + ", y hoy es " + validate.DayText(today)
	}
}
