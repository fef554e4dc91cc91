package validate

const (
	cae  = "FECAESolicitar"
	caea = "FECAEARegInformativo"
)

var (
	onlyCAE   = []string{cae}
	caeOrCAEA = []string{cae, caea}
)

// catalogue lists the rules by ascending code.
var catalogue = []Rule{
	{
		Code: 10001, Severity: ERR, Operations: caeOrCAEA, lot: quantityInRange,
		Spanish: "La cantidad de registros debe estar entre 1 y 9998.",
		English: "CantReg is not between 1 and 9998.",
		Source:  "domain.md §3.14",
	},
	{
		Code: 10002, Severity: ERR, Operations: caeOrCAEA, lot: quantityIsNumberOfInvoices,
		Spanish: "La cantidad de registros no coincide con la cantidad de comprobantes del detalle.",
		English: "CantReg is not the number of invoices in the lot.",
		Source:  "domain.md §3.14",
	},
	{
		Code: 10003, Severity: ERR, Operations: caeOrCAEA, lot: lotIsNotTooLarge,
		Spanish: "La cantidad de comprobantes supera el máximo por pedido.",
		English: "The lot is larger than FECompTotXRequest allows, or has more than one FCE voucher.",
		Source:  "domain.md §3.14",
	},
	{
		Code: 10018, Severity: EXC, Operations: onlyCAE, invoice: ivaMatchesImpIVA,
		Spanish: "El detalle de IVA no es coherente con ImpIVA.",
		English: "ImpIVA is greater than 0 without Iva; or it is 0 with a rate other than 0 %; or Iva has no AlicIva.",
		Source:  "domain.md §3.14",
	},
	{
		Code: 10022, Severity: EXC, Operations: onlyCAE, invoice: ratesAreNotRepeated,
		Spanish: "La alícuota de IVA está repetida: debe totalizarse en un solo AlicIva.",
		English: "An IVA rate is given more than once.",
		Source:  "domain.md §3.14",
	},
	{
		Code: 10023, Severity: EXC, Operations: onlyCAE, invoice: ivaAddsUp,
		Spanish: "La suma de los Importe de AlicIva no coincide con ImpIVA.",
		English: "The amounts of AlicIva do not add up to ImpIVA.",
		Source:  "domain.md §3.3",
	},
	{
		Code: 10024, Severity: EXC, Operations: onlyCAE, invoice: tributosMatchImpTrib,
		Spanish: "Tributos debe informarse si y solo si ImpTrib es mayor que 0.",
		English: "ImpTrib is greater than 0 without Tributos, or 0 with Tributos.",
		Source:  "domain.md §3.14",
	},
	{
		Code: 10029, Severity: EXC, Operations: onlyCAE, invoice: tributosAddUp,
		Spanish: "La suma de los Importe de Tributo no coincide con ImpTrib.",
		English: "The amounts of Tributo do not add up to ImpTrib.",
		Source:  "domain.md §3.3",
	},
	{
		Code: 10048, Severity: EXC, Operations: onlyCAE, invoice: totalAddsUp,
		Spanish: "ImpTotal no coincide con la suma de los importes que lo componen.",
		English: "ImpTotal is not the sum of its parts.",
		Source:  "domain.md §3.3",
	},
	{
		Code: 10051, Severity: EXC, Operations: onlyCAE, invoice: ivaIsRateOfBase,
		Spanish: "El Importe de AlicIva no corresponde a BaseImp por la alícuota.",
		English: "An amount of AlicIva is not its rate of BaseImp.",
		Source:  "domain.md §3.3",
	},
	{
		Code: 10056, Severity: EXC, Operations: onlyCAE, invoice: amountsHaveTheirDigits,
		Spanish: "El importe tiene más enteros o decimales que los permitidos.",
		English: "An amount has more integer digits or decimals than it may have.",
		Source:  "domain.md §3.3",
	},
	{
		Code: 10061, Severity: EXC, Operations: onlyCAE, invoice: basesAddUp,
		Spanish: "La suma de los BaseImp de AlicIva no coincide con ImpNeto.",
		English: "The bases of AlicIva do not add up to ImpNeto.",
		Source:  "domain.md §3.3",
	},
	{
		Code: 10070, Severity: EXC, Operations: onlyCAE, invoice: netNeedsIva,
		Spanish: "Si ImpNeto es mayor que 0 debe informarse Iva.",
		English: "ImpNeto is greater than 0 without Iva.",
		Source:  "domain.md §3.14",
	},
	{
		Code: 10071, Severity: EXC, Operations: onlyCAE, invoice: classCHasNoIva,
		Spanish: "Un comprobante clase C no debe informar Iva.",
		English: "A class C voucher has Iva.",
		Source:  "domain.md §3.14",
	},
}
