package rules

import (
	"unicode"
	"unicode/utf8"
)

func creditHasOpcionales(c *invoiceCheck) {
	if c.Opcionales == nil {
		c.find(c.pointer("Opcionales"))
	}
}

func (c *invoiceCheck) hasOpcional(id string) bool {
	_, sent := c.opcional(id)
	return sent
}

// needsOpcional finds that an Id is missing from a list that is not empty.
func (c *invoiceCheck) needsOpcional(id string) {
	if len(c.opcionales()) > 0 && !c.hasOpcional(id) {
		c.explain(c.find(c.pointer(opcionalList)), "", id)
	}
}

// creditHasAnOpcionalOfItsOwn finds besides what needsOpcional does: the service
// has a code for each.
func creditHasAnOpcionalOfItsOwn(c *invoiceCheck) {
	if len(c.opcionales()) > 0 && !c.hasOpcional(cbu) && !c.hasOpcional(annulment) && !c.hasOpcional(transfer) {
		c.find(c.pointer(opcionalList))
	}
}

// isAlias also lets pass the full stop and the hyphen: the banks that give aliases
// out put them in.
func isAlias(value string) bool {
	n := utf8.RuneCountInString(value)
	for _, r := range value {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-' {
			return false
		}
	}
	return n >= 6 && n <= 20
}

func isCBU(value string) bool { return areDigits(value, 22) }

func isYesOrNo(value string) bool { return value == "S" || value == "N" }

// isReference looks at the length alone: the service calls references alphanumeric,
// and which characters that leaves out is not known.
func isReference(value string) bool {
	const longest = 50
	return len(value) <= longest || utf8.RuneCountInString(value) <= longest
}

func hasThreeLetters(value string) bool { return utf8.RuneCountInString(value) == 3 }

// isTransfer leaves a value of other than three characters to rule 10214.
func isTransfer(value string) bool {
	return value == "SCA" || value == "ADC" || !hasThreeLetters(value)
}

func referencesAreNotRepeated(c *invoiceCheck) {
	opcionales := c.opcionales()
	eachRepeat(len(opcionales), func(i int) (string, bool) {
		return opcionales[i].Valor, opcionales[i].Id == opcionalReferencia && opcionales[i].Valor != ""
	}, func(i int) {
		c.wrongItem(opcionalList, i, "Valor", opcionales[i].Valor, "")
	})
}
