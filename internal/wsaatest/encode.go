package wsaatest

import "slices"

// encoder writes elements in DER, or in the BER that its form asks for.
type encoder struct{ form Form }

// put writes an element. Of the constructed ones it writes the length as the form asks.
func (e encoder) put(tag byte, parts ...[]byte) []byte {
	content := slices.Concat(parts...)
	n := len(content)
	switch {
	case e.form.Indefinite && tag&0x20 != 0:
		return slices.Concat([]byte{tag, 0x80}, content, []byte{0, 0})
	case e.form.LongLengths && n > 0:
		return slices.Concat([]byte{tag, 0x84, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, content)
	case n < 0x80:
		return slices.Concat([]byte{tag, byte(n)}, content)
	case n < 0x100:
		return slices.Concat([]byte{tag, 0x81, byte(n)}, content)
	}
	return slices.Concat([]byte{tag, 0x82, byte(n >> 8), byte(n)}, content)
}

// string writes an octet string: in parts, one of them in parts again, if lengths are indefinite.
func (e encoder) string(content []byte) []byte {
	if !e.form.Indefinite {
		return e.put(0x04, content)
	}
	half, quarter := len(content)/2, len(content)/4
	nested := e.put(0x24, e.put(0x04, content[:quarter]), e.put(0x04, content[quarter:half]))
	return e.put(0x24, nested, e.put(0x04, content[half:]))
}
