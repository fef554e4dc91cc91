package rules

import "github.com/fielato/fielato/wsfev1"

// registerHalfRules are the part of a code that the tax register decides, where the edge decides the
// code for other invoices, or by less. A gateway judges its half, a backend both (Rules.Find).
var registerHalfRules = []rule{
	{
		codes: codes{cae.exc(10015)}, types: plainC,
		also: []Source{seenInClassC}, unlisted: true,
		es: "El receptor de un comprobante C no figura en el padrón.",
		en: "The receiver of a voucher of class C is not registered.",
	},
	{
		codes: codes{cae.exc(10044)}, types: ofClass(wsfev1.Class49),
		es: "Un monotributista que compra bienes usados informa ImpOpEx 0.",
		en: "ImpOpEx is not 0 in a purchase of used goods by a monotributista.",
	},
	{
		codes: codes{cae.exc(10045)}, types: ofClass(wsfev1.Class49),
		es: "Un monotributista que compra bienes usados informa ImpNeto 0.",
		en: "ImpNeto is not 0 in a purchase of used goods by a monotributista.",
	},
	{
		codes: codes{cae.exc(10047)}, types: ofClass(wsfev1.Class49),
		es: "Un monotributista que compra bienes usados informa ImpIVA 0.",
		en: "ImpIVA is not 0 in a purchase of used goods by a monotributista.",
	},
	{
		codes: codes{cae.exc(10066)}, types: only(1, 2, 3, 6, 7, 8),
		es: "El opcional 2 lleva un proyecto del emisor, y solo en los tipos 1, 2, 3, 6, 7 y 8.",
		en: "Opcional 2 is given for a type other than 1, 2, 3, 6, 7, 8, or its project is not the issuer's.",
	},
	{
		codes: codes{cae.exc(10192), caea.obs(1485)}, types: only(1, 6, 11),
		also: []Source{rgFCEMinimum},
		es:   "Por su importe y por la categoría de emisor y receptor debe emitirse como factura FCE.",
		en:   "By its amount, and by how issuer and receiver are registered, it has to be a credit invoice MiPyME.",
	},
}
