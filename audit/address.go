package audit

import "strconv"

// Address is how people and programs name a record: log/index.
func Address(log string, index uint64) string { return log + "/" + strconv.FormatUint(index, 10) }

// Address returns the record's address: log/index.
func (r *Record) Address() string { return Address(r.Log, r.Index) }
