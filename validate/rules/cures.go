package rules

// cure is what to do about a code that the service alone decides, and where: the gateway forwards the
// answer, and cannot say more than the code.
type cure struct{ es, en string }

// cures are for the codes that people meet most and that say least.
var cures = map[int32]cure{
	600: {
		"Qué hacer: si el ticket está vencido o es de otro ambiente, pida uno nuevo a WSAA; si la CUIT no figura entre sus relaciones, deléguele el servicio «Facturación Electrónica» al certificado en el Administrador de Relaciones de ARCA y pida después otro ticket: el anterior no la incluye.",
		"What to do: if the ticket has expired or is of the other environment, log in at WSAA again; if the CUIT is not among its relations, delegate the service “Facturación Electrónica” to the certificate in ARCA's Administrador de Relaciones, and log in again: an earlier ticket lacks it.",
	},
	602: {
		"Qué hacer: si consultó los puntos de venta, no hay ninguno de web service: dé de alta uno en «Administración de puntos de venta y domicilios» de ARCA, con clave fiscal; en homologación es la respuesta usual y no impide emitir. Si consultó un comprobante, no existe con ese punto de venta, tipo y número. Si consultó una cotización, no la hay para ese día, y el peso no tiene.",
		"What to do: if points of sale were asked for, there is none for web services: register one in ARCA's “Administración de puntos de venta y domicilios”; in homologación it is the usual answer, and one can issue all the same. If a voucher was asked for, there is none with this point of sale, type and number. If a rate, there is none for that day, and the peso has none.",
	},
	10000: {
		"Qué hacer: el número al comienzo del motivo dice qué falta. 01, 08: inscripción del emisor en IVA o como exento; 02, 04, 09: habilitación de comprobantes electrónicos o de la clase, en «Regímenes de facturación y registración (REAR/RECE/RFI)» de ARCA; 03: domicilio fiscal, 06: actividades, ambos en el «Sistema Registral»; 05: estado de la CUIT; 07: registro de bienes usados (RG 3411); 10: registro MiPyME; 11: domicilio fiscal electrónico.",
		"What to do: the number at the beginning of the reason tells what is missing. 01, 08: the issuer's registration in IVA, or as exempt; 02, 04, 09: permission for electronic vouchers or for the class, in ARCA's “Regímenes de facturación y registración (REAR/RECE/RFI)”; 03: the fiscal address, 06: the activities, both in “Sistema Registral”; 05: the state of the CUIT; 07: the register of used goods (RG 3411); 10: the register of MiPyME; 11: the electronic fiscal address.",
	},
	10005: {pointES, pointEN},
	11002: {pointES, pointEN},
	10154: {
		"Qué hacer: mire en el servicio «Facturas de Crédito Electrónicas MiPyMEs» de ARCA si el comprador rechazó el comprobante asociado. Si lo rechazó, informe el opcional 22 con S (anulación); si no, con N, y la nota ajusta la factura.",
		"What to do: look in ARCA's service “Facturas de Crédito Electrónicas MiPyMEs” whether the buyer has rejected the associated voucher. If so, send opcional 22 with S (annulment); if not, with N, and the note adjusts the invoice.",
	},
}

const (
	pointES = "Qué hacer: use un punto de venta de web service. Dé de alta uno en «Administración de puntos de venta y domicilios» de ARCA, con clave fiscal, con el sistema «RECE para aplicativo y web services» (Monotributo y exentos tienen el suyo); los de «Comprobantes en línea», controlador fiscal o CAEA no sirven aquí."
	pointEN = "What to do: use a point of sale for web services. Register one in ARCA's “Administración de puntos de venta y domicilios”, with the system “RECE para aplicativo y web services” (Monotributo and exempt issuers have their own); those of “Comprobantes en línea”, fiscal printers or CAEA will not do here."
)
