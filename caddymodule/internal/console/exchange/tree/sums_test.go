package tree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
)

// TestWhatWasSentStandsBesideWhatItsItemsAddUpTo, for each figure that is a sum.
func TestWhatWasSentStandsBesideWhatItsItemsAddUpTo(t *testing.T) {
	const tributes = `"Tributos":{"Tributo":[{"Id":99,"Desc":"tasa","Importe":3},{"Id":99,"Desc":"otra","Importe":4.5}]},"MonId"`
	for name, c := range map[string]struct{ old, with, lines, total string }{
		"as it should be": {"", "", "{IVA 21 % $ 231,10  false}", ""},
		"the VAT is less": {`"ImpIVA":231.1`, `"ImpIVA":20`, "{IVA $ 20,00 $ 231,10 false} {IVA 21 % $ 231,10  true}", "$ 1.120,45"},
		"the VAT is 0":    {`"ImpIVA":231.1`, `"ImpIVA":0`, "{IVA $ 0,00 $ 231,10 false} {IVA 21 % $ 231,10  true}", "$ 1.100,45"},
		"no VAT was sent": {`"ImpIVA":231.1,`, ``, "{IVA invoice.absent $ 231,10 false} {IVA 21 % $ 231,10  true}", "$ 1.100,45"},
		"no rates":        {`,"Iva":{"AlicIva":[{"Id":5,"BaseImp":1100.45,"Importe":231.1}]}`, ``, "{IVA $ 231,10 $ 0,00 false}", ""},
		"no number":       {`"ImpIVA":231.1`, `"ImpIVA":"x"`, "{IVA 21 % $ 231,10  false}", ""},
		"the total":       {`"ImpTotal":1331.55`, `"ImpTotal":1331.56`, "{IVA 21 % $ 231,10  false}", "$ 1.331,55"},
		"tributes": {
			`"ImpTrib":0,"ImpIVA":231.1,"MonId"`, `"ImpTrib":7,"ImpIVA":231.1,` + tributes,
			"{IVA 21 % $ 231,10  false} {invoice.tributes $ 7,00 $ 7,50 false} {tasa $ 3,00  true} {otra $ 4,50  true}", "$ 1.338,55",
		},
		"no parts": {
			`"ImpTotConc":0,"ImpNeto":1100.45,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":231.1,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":1100.45,"Importe":231.1}]}`, `"MonId":"PES"`, "[]", "",
		},
	} {
		read := tree.Invoices(build(t, strings.Replace(lot(1), c.old, c.with, 1), 0))[0]
		lines := strings.Replace(fmt.Sprint(read.Lines), "{invoice.net $ 1.100,45  false} ", "", 1)
		if strings.Trim(lines, "[]") != strings.Trim(c.lines, "[]") || read.TotalSum != c.total {
			t.Errorf("%s: the lines are %s and the parts add up to %q, want %s and %q", name, lines, read.TotalSum, c.lines, c.total)
		}
	}
}
