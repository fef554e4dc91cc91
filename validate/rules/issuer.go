package rules

import "github.com/fielato/fielato/wsfev1"

// issuerRules are about the issuer and its points of sale: all are decided by state.
var issuerRules = []rule{
	{
		codes: codes{cae.exc(10096)}, types: ofClass(wsfev1.ClassC),
		es: "Un emisor exento en IVA debe usar un punto de venta de web service para exentos.",
		en: "An issuer who is exempt from IVA uses a point of sale that is not one for exempt issuers.",
	},
	{
		codes: codes{cae.exc(10251)}, from: "20260701", types: wsfev1.IsFCE,
		also: []Source{rgFinancial},
		es:   "Una entidad financiera no puede emitir FCE.",
		en:   "A financial entity issues a credit invoice MiPyME.",
	},
	{
		codes: codes{cae.exc(10282)}, from: "20260901",
		es: "El punto de venta es de seguros de caución y el emisor no es una de sus aseguradoras.",
		en: "The point of sale is one for surety insurance and the issuer is not one of its insurers.",
	},
	{
		codes: codes{cae.obs(10234), caea.obs(814)}, types: classA,
		es: "El formulario de habilitación para emitir clase A está pendiente o es anterior al alta en IVA.",
		en: "The issuer's form for class A is pending, or older than his registration for IVA.",
	},
	{
		codes: codes{cae.obs(10235), caea.obs(816)},
		es:    "El importe supera el tope de la categoría máxima del Monotributo.",
		en:    "The amount is over that of the highest category of Monotributo.",
	},
	{
		codes: codes{cae.obs(10236), caea.obs(817)},
		es:    "El importe supera el tope de la categoría de Monotributo del emisor.",
		en:    "The amount is over that of the issuer's own category of Monotributo.",
	},
	{
		codes: codes{caea.err(701)},
		es:    "El punto de venta no es de CAEA, o estaba bloqueado a la fecha del comprobante.",
		en:    "The point of sale is not one for CAEA, or was blocked on the date of the voucher.",
	},
	{
		codes: codes{caea.exc(1444)},
		es:    "El punto de venta no es de contingencia de la clase del comprobante.",
		en:    "The point of sale is not a contingency one for the class of the voucher.",
	},
	{
		codes: codes{caea.exc(709)},
		es:    "El punto de venta se dio de alta después de vencido el CAEA.",
		en:    "The point of sale was registered after the end of the CAEA.",
	},
	{
		codes: codes{caea.exc(781)},
		es:    "El punto de venta se dio de alta después de la fecha del comprobante.",
		en:    "The point of sale was registered after CbteFch.",
	},
	{
		codes: codes{caea.obs(1429)}, types: ofClass(wsfev1.ClassA),
		es: "El emisor no estaba habilitado para clase A a la fecha del comprobante.",
		en: "The issuer was not entitled to class A on the date of the voucher.",
	},
	{
		codes: codes{caea.obs(1431)},
		es:    "El emisor no estaba inscripto en el impuesto a la fecha del comprobante.",
		en:    "The issuer was not registered for the tax on the date of the voucher.",
	},
	{
		codes: codes{caea.obs(815)}, types: classA,
		es: "El emisor no está habilitado para comprobantes de clase A ni con leyenda.",
		en: "The issuer is not entitled to vouchers of class A or ALEY.",
	},
}

// classA are the classes A and ALEY, which are issued to the same receivers.
var classA = ofClass(wsfev1.ClassA, wsfev1.ClassALEY)
