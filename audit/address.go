package audit

import (
	"strconv"
	"strings"
)

// Address is how people and programs name a record: log/index.
func Address(log string, index uint64) string { return log + "/" + strconv.FormatUint(index, 10) }

// ParseAddress reads what Address has written. It reports false for any other text.
func ParseAddress(address string) (log string, index uint64, ok bool) {
	slash := strings.LastIndexByte(address, '/')
	if slash < 1 {
		return "", 0, false
	}
	index, err := strconv.ParseUint(address[slash+1:], 10, 64)
	if err != nil {
		return "", 0, false
	}
	return address[:slash], index, true
}

// Address returns the record's address: log/index.
func (r *Record) Address() string { return Address(r.Log, r.Index) }
