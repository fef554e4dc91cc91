package export

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export/internal/jsonline"
)

// AppendLine is the line of a record that knows where it stands.
func AppendLine(r *audit.Record, form audit.Form) []byte { return jsonline.Append(nil, r, form) }

// ReadLine reads a line of an export.
func ReadLine(line []byte) (*audit.Record, error) {
	record, _, err := new(jsonline.Reader).Read(line)
	return record, err
}
