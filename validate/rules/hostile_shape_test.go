package rules_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
)

// hostileShapes are bodies that are cheap to make and hold little.
func hostileShapes() []hostile {
	var all []hostile
	add := func(name string, bytes int, lot func(n int) string) {
		all = append(all, hostile{name, bytes, func(_ testing.TB, n int) []byte { return validatetest.LotOf(lot(n)) }})
	}
	for _, item := range []string{`{}`, `{"zz":1}`, `{"concepto":1}`, `{"Concepto":1.5}`, `null`, `1`, `[]`, `""`, `{"Iva":{}}`, `{"Iva":[]}`} {
		add("invoices "+item, usual/(len(item)+1), func(n int) string { return validatetest.Items(n, item) })
	}
	for _, list := range innerLists {
		for _, item := range []string{`{}`, `null`, `{"zz":1}`} {
			add(list+" "+item, usual/(len(item)+1), func(n int) string { return `{` + validatetest.InnerList(list, n, item) + `}` })
		}
		add("invoices of many "+list, largest/3, func(n int) string {
			return validatetest.Items(n/2000, `{`+validatetest.InnerList(list, 2000, `{}`)+`}`)
		})
		add("invoices of one "+list, usual/(len(validatetest.InnerList(list, 1, `{}`))+3), func(n int) string {
			return validatetest.Items(n, `{`+validatetest.InnerList(list, 1, `{}`)+`}`)
		})
	}
	for name, member := range map[string]string{
		"unknown": `"zz":1`, "empty": `"":1`, "of another case": `"concepto":1`, "repeated": `"Concepto":1`, "escaped": `"\u0043oncepto":1`,
		"not UTF-8": "\"\xff\":1", "a list": `"Iva":{"AlicIva":[{}]}`, "nested": `"zz":[[[[[[]]]]]]`, "null": `"Concepto":null`,
	} {
		add("members "+name, usual/(len(member)+1), func(n int) string { return `{` + validatetest.Items(n, member) + `}` })
	}
	add("members that are all different", usual/12, func(n int) string {
		return `{` + strings.Join(repeated(n, func(i int) string { return `"` + strconv.Itoa(1e6+i) + `":1` }), ",") + `}`
	})
	for _, c := range []string{"x", "ñ", `\u00f1`, "~", "\xff"} {
		add("a long name of "+fmt.Sprintf("%q", c), usual, func(n int) string { return `{"` + strings.Repeat(c, n/len(c)) + `":1}` })
		add("long names of "+fmt.Sprintf("%q", c), usual, func(n int) string {
			return `{` + validatetest.Items(n/4096, `"`+strings.Repeat(c, 4096/len(c))+`":1`) + `}`
		})
	}
	for _, member := range []string{"Concepto", "DocNro", "CondicionIVAReceptorId"} {
		add(member+" of many digits", usual, func(n int) string { return `{"` + member + `":` + strings.Repeat("9", n) + `}` })
		add(member+" of many decimals", usual, func(n int) string { return `{"` + member + `":0.` + strings.Repeat("9", n) + `}` })
	}
	slices.SortFunc(all, func(a, b hostile) int { return strings.Compare(a.name, b.name) })
	return all
}

// innerLists are the lists of an invoice.
var innerLists = []string{"CbtesAsoc/CbteAsoc", "Tributos/Tributo", "Iva/AlicIva", "Opcionales/Opcional", "Compradores/Comprador", "Actividades/Actividad"}
