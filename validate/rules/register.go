package rules

import "github.com/fielato/fielato/wsfev1"

// registerRules are about the receiver's entry in the tax register, and about the vouchers of
// the service: all are decided by state.
var registerRules = []rule{
	{
		codes: codes{cae.obs(10063), caea.obs(1402)}, types: classA,
		es: "El receptor no está activo en IVA ni en Monotributo.",
		en: "The receiver is active neither in IVA nor in Monotributo.",
	},
	{
		codes: codes{cae.exc(10195), caea.obs(1489)},
		es:    "La CUIT del receptor está inactiva por figurar entre los contribuyentes apócrifos.",
		en:    "The receiver's CUIT is inactive because he is listed as apócrifo.",
	},
	{
		codes: codes{cae.obs(10217), caea.obs(1516)}, types: classA,
		es: "El receptor es monotributista: solo puede computar el crédito fiscal en el régimen de transición.",
		en: "The receiver is a monotributista, who may use the tax credit only in the transition regime.",
	},
	{
		codes: codes{cae.obs(10237), caea.obs(818)}, types: wsfev1.IsCreditNote,
		es: "La nota de crédito supera al comprobante asociado.",
		en: "The credit note is greater than the voucher that it refers to.",
	},
	{
		codes: codes{cae.obs(10238), caea.obs(819)},
		es:    "La CUIT del receptor no existe.",
		en:    "The receiver's CUIT does not exist.",
	},
	{
		codes: codes{cae.exc(10247)}, from: "20260201", types: not(wsfev1.IsCreditNote),
		es: inactiveES, en: inactiveEN,
	},
	{
		codes: codes{cae.obs(10247)}, from: "20260201", types: wsfev1.IsCreditNote,
		es: inactiveES, en: inactiveEN,
	},
	{
		codes: codes{caea.obs(827)}, from: "20260201",
		es: inactiveES, en: inactiveEN,
	},
	{
		codes: codes{cae.exc(10248)}, from: "20260201", types: not(wsfev1.IsCreditNote),
		es: untrustworthyES, en: untrustworthyEN,
	},
	{
		codes: codes{cae.obs(10248)}, from: "20260201", types: wsfev1.IsCreditNote,
		es: untrustworthyES, en: untrustworthyEN,
	},
	{
		codes: codes{caea.obs(828)}, from: "20260201",
		es: untrustworthyES, en: untrustworthyEN,
	},
	{
		codes: codes{cae.obs(10249), caea.obs(829)}, from: "20260201",
		es: "El receptor figura como fallecido.",
		en: "The receiver is deceased.",
	},
	{
		codes: codes{cae.exc(10284), caea.exc(1528)}, from: "20260901",
		es: "DocNro no corresponde a la clase de clave que declara DocTipo.",
		en: "DocNro does not belong to the kind of number that DocTipo declares.",
	},
}

const (
	inactiveES      = "La CUIT del receptor está inactiva o no es válida."
	inactiveEN      = "The receiver's CUIT is inactive or invalid."
	untrustworthyES = "El receptor figura como no confiable para la seguridad social."
	untrustworthyEN = "The receiver is listed as not trustworthy by social security."
)
