package export

import "github.com/fielato/fielato/audit/export/internal/invoice"

// Cell makes a text safe for a spreadsheet, which takes one that begins with =, +, -, @ and the like for a formula, and
// would run what a client wrote: an apostrophe comes before. The tables of an export are written so.
func Cell(text string) string { return invoice.Cell(text) }
