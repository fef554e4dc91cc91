package rules

import "github.com/fielato/fielato/wsfev1"

// serviceRules are what any operation may answer, whatever it was asked. 600 is what
// the gateway answers to a ticket that it refuses by itself, see Ticket.
var serviceRules = []rule{
	{
		codes: everyOperation(500),
		es:    "Falla interna del servicio, o falta Auth: consulte antes de reenviar.",
		en:    "The service failed, or Auth is missing: ask whether the voucher exists before it is sent again.",
	},
	{
		codes: everyOperation(501),
		es:    "La base de datos del servicio no está disponible: consulte antes de reenviar.",
		en:    "The database of the service failed: ask whether the voucher exists before it is sent again.",
	},
	{
		codes: everyOperation(502),
		es:    "Hay otra solicitud de la misma CUIT en curso: espere y consulte antes de reenviar.",
		en:    "Another request of the same CUIT is being processed: wait, and ask before it is sent again.",
	},
	{
		codes: everyOperation(600),
		es:    "El ticket de acceso no es válido, está vencido, o es de otro servicio o de otra CUIT.",
		en:    "The access ticket is invalid, has expired, or is for another service or another CUIT.",
	},
	{
		codes: everyOperation(601),
		es:    "La CUIT representada no está entre las del ticket de acceso.",
		en:    "The CUIT is not among those that the access ticket represents.",
	},
	{
		codes: everyOperation(602),
		es:    "No hay datos para lo consultado.",
		en:    "There is nothing for what was asked.",
	},
}

// everyOperation gives a code to all operations but FEDummy, which looks at
// nothing.
func everyOperation(number int32) codes {
	var all codes
	for _, op := range wsfev1.Operations {
		if op.Family != wsfev1.FamilyHealth {
			all = append(all, operation(op.Name).err(number))
		}
	}
	return all
}
