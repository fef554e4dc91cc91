// Package rows turns invoices into the rows in which ledgers keep them, and back. It is pure: the stores write and read
// the rows.
//
// Invoices that are appended together share a row, up to a bound, because a database spends more time on a row than
// on what stands in it. The key of a row is its series and its last number, and its first number is beside it. A row of
// one invoice has the members of the invoice in columns, as every row had in the first schemas.
//
// A lot (Row.Lot) is a byte that names its form, 1, and a block of S2. Decompressed, that is the number of invoices, and
// for each of them:
//
//	flags          one byte, see the constants
//	span           CbteHasta - CbteDesde, if spans is set
//	CbteFch, Code, EmisionTipo, FchVto, FchProceso, each one unless it is the same as in the invoice before
//	Detail
//	Observaciones, if observed is set
//
// Numbers are unsigned varints; a text is its length and its bytes. The first invoice begins with the row's first number,
// and each other one follows the one before. Ledgers are read for ever: a new form gets a new first byte.
package rows
