package totalscmd

// WithTable is withTable.
var WithTable = withTable
