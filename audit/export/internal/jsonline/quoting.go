package jsonline

// quotedAtOnce bounds the memory beyond a text that its escapes may need.
const quotedAtOnce = 16 << 10

// The ways in which a byte of a text stands in JSON.
const (
	quotedPlain = iota
	quotedEscaped
	quotedOtherwise // not appendPlainText's
)

// quotings has one of them for each byte.
var quotings = func() (all [256]uint8) {
	for b := range all {
		if b < ' ' || b > '~' {
			all[b] = quotedOtherwise
		}
	}
	all['"'], all['\\'] = quotedEscaped, quotedEscaped
	return all
}()
