package audit

// AppendLine is appendLine for a record that knows where it stands.
func AppendLine(r *Record, form Form) []byte { return appendLine(nil, r, form) }

// ReadLine reads a line of an export.
func ReadLine(line []byte) (*Record, error) {
	record, _, err := new(lineReader).read(line)
	return record, err
}
