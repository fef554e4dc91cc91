package mask

import "strings"

// signer is the Opcional whose value is the document of who signs for the receiver, after RG 3668.
const signer = "62"

// opcional is an entry of Opcionales as far as it was read. Its members come in any order.
type opcional struct{ id, value string }

func (o *opcional) set(name, text string) {
	switch {
	case strings.EqualFold(name, "Id"):
		o.id += text
	case strings.EqualFold(name, "Valor"):
		o.value += text
	}
}

// addTo remembers the document, if the entry has one.
func (o *opcional) addTo(m *Mask) {
	if strings.TrimLeft(strings.TrimSpace(o.id), "0") == signer {
		m.add(o.value)
	}
}
