package audit

import "strconv"

// Address is how people and programs name a record: log/index.
func Address(log string, index uint64) string { return log + "/" + strconv.FormatUint(index, 10) }
