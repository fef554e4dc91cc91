package validatetest

import (
	"fmt"
	"strings"
)

// LotOf is a body whose lot is this text.
func LotOf(invoices string) []byte {
	return []byte(`{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEDetRequest":[` + invoices + `]}}}`)
}

// Items repeats a text n times, as items of a list or members of an object.
func Items(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

// InnerList is a list of an invoice, with its wrapper, as members of the invoice.
func InnerList(list string, n int, item string) string {
	wrapper, name, _ := strings.Cut(list, "/")
	return fmt.Sprintf(`%q:{%q:[%s]}`, wrapper, name, Items(n, item))
}
