package bodies

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// LastNumber reads the number off the answer to FECompUltimoAutorizado; empty if it has none.
func LastNumber(answer []byte) string {
	var read struct{ CbteNro jsontext.Value }
	if !Read(answer, &read) {
		return ""
	}
	if _, err := strconv.ParseInt(string(read.CbteNro), 10, 64); err != nil {
		return ""
	}
	return string(read.CbteNro)
}

// IsReported reports whether the answer to FECompConsultar has an invoice that was issued with a CAEA.
func IsReported(answer []byte) bool {
	var read struct {
		ResultGet struct{ EmisionTipo Cell }
	}
	return Read(answer, &read) && read.ResultGet.EmisionTipo.Text() == "CAEA"
}
