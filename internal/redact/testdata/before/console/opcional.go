package mask

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// valor is the member that holds what an Opcional says.
const valor = "Valor"

// documents are the Opcionales whose value is a document: of who signs for the receiver (RG 3668), of who
// pays a school (RG 3368), of who lets a dwelling (RG 4004-E).
var documents = []string{"62", "1012", "1801"}

// opcional is an entry of Opcionales as far as it was read. Its members come in any order, and any number of times.
type opcional struct{ ids, values []string }

func (o *opcional) set(name, text string) {
	switch {
	case strings.EqualFold(name, "Id"):
		o.ids = append(o.ids, text)
	case strings.EqualFold(name, valor):
		o.values = append(o.values, text)
	}
}

// addTo remembers the document, if the entry has one.
func (o *opcional) addTo(m *Mask) {
	if !slices.ContainsFunc(append(o.ids, strings.Join(o.ids, "")), isOfDocument) {
		return
	}
	for _, value := range append(o.values, strings.Join(o.values, "")) {
		m.add(value)
	}
}

// isOfDocument reports whether an Id is of an Opcional that has a document, also as 62.0.
func isOfDocument(id string) bool {
	id = strings.TrimLeft(strings.TrimSpace(id), "0")
	if n, err := wsfev1.ParseAmount(id); err == nil {
		id = n.Trim().String()
	}
	return slices.Contains(documents, id)
}
