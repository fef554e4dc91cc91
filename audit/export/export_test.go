package export

import "github.com/fielato/fielato/audit"

// AppendLine is appendLine for a record that knows where it stands.
func AppendLine(r *audit.Record, form audit.Form) []byte { return appendLine(nil, r, form) }

// ReadLine reads a line of an export.
func ReadLine(line []byte) (*audit.Record, error) {
	record, _, err := new(lineReader).read(line)
	return record, err
}

func AppendJSONText(dst, text []byte) []byte { return appendJSONText(dst, text) }
