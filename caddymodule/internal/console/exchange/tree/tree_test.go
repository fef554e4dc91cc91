package tree_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/console/exchange/tree"
	"github.com/fielato/fielato/wsfev1"
)

func words(key string) string { return key }

// build reads a request of FECAESolicitar.
func build(t testing.TB, body string, from int, findings ...*tree.Finding) *tree.Node {
	t.Helper()
	root, err := tree.Build([]byte(body), tree.Options{
		Shape: wsfev1.OperationByName("FECAESolicitar").Request, Prefix: "at-", Findings: findings, From: from, Words: words,
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

const invoice = `{"Concepto":1,"DocTipo":80,"DocNro":30000000007,"CbteDesde":%[1]d,"CbteHasta":%[1]d,"CbteFch":"20261123","ImpTotal":1331.55,"ImpTotConc":0,"ImpNeto":1100.45,` +
	`"ImpOpEx":0,"ImpTrib":0,"ImpIVA":231.1,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":1100.45,"Importe":231.1}]}}`

// lot is a request of n invoices.
func lot(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(invoice, i+1)
	}
	return fmt.Sprintf(`{"Auth":{"Token":"hmac-sha256:aa","Sign":"hmac-sha256:bb","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[%s]}}}`, n, strings.Join(all, ","))
}

// TestMembersHaveWords beside their codes, and amounts a comma.
func TestMembersHaveWords(t *testing.T) {
	root := build(t, lot(1), 0)
	header := root.Member("FeCAEReq", "FeCabReq")
	one := root.Member("FeCAEReq", "FeDetReq", "FECAEDetRequest").Children[0]
	for _, c := range []struct{ got, want string }{
		{header.Member("CbteTipo").Word, "Factura B"},
		{root.Member("Auth", "Cuit").Word, "20-11111111-2"},
		{string(root.Member("Auth", "Token").State), "credential"},
		{one.Member("DocNro").Word, "CUIT 30-00000000-7"},
		{one.Member("CbteFch").Word, "23/11/2026"},
		{one.Member("ImpTotal").Text, "1.331,55"},
		{one.Member("MonId").Word, "Pesos Argentinos"},
		{one.Member("CondicionIVAReceptorId").Word, "IVA Responsable Inscripto"},
		{one.Member("Iva", "AlicIva").Children[0].Member("Id").Word, "IVA 21 %"},
		{one.Label, "Nº 1 · CUIT 30-00000000-7 · 1.331,55"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if read := tree.Invoices(root); len(read) != 1 || read[0].Total != "$ 1.331,55" || fmt.Sprint(read[0].Lines) != "[{invoice.net $ 1.100,45  false} {IVA 21 % $ 231,10  false}]" {
		t.Errorf("the invoice is %+v", read)
	}
}

// TestClassCHasASubtotal: it has no IVA, and so no taxable net.
func TestClassCHasASubtotal(t *testing.T) {
	for name, text := range map[string]string{
		"a request": strings.Replace(lot(1), `"CbteTipo":6`, `"CbteTipo":11`, 1),
		"a report":  strings.NewReplacer(`"CbteTipo":6`, `"CbteTipo":211`, "FeCAEReq", "FeCAEARegInfReq", "FECAEDet", "FECAEADet").Replace(lot(1)),
		"a query":   `{"ResultGet":` + strings.Replace(fmt.Sprintf(invoice, 1), "{", `{"CbteTipo":13,`, 1) + `}`,
	} {
		if read := tree.Invoices(build(t, text, 0)); len(read) != 1 || read[0].Lines[0].Name != "invoice.subtotal" {
			t.Errorf("%s: %+v", name, read)
		}
	}
}

// TestAnInvoiceInALotHasItsRates: the lists within it began where the lot did, so all but the first had VAT without a rate.
func TestAnInvoiceInALotHasItsRates(t *testing.T) {
	for _, from := range []int{0, 1, 12} {
		for _, one := range tree.Invoices(build(t, lot(15), from)) {
			if len(one.Lines) != 2 || !strings.Contains(one.Lines[1].Name, "21") {
				t.Errorf("from %d, number %s: %+v", from, one.Number, one.Lines)
			}
		}
	}
}

// TestFindingsStandAtTheirMember, and at the nearest around it where it is missing.
func TestFindingsStandAtTheirMember(t *testing.T) {
	at := &tree.Finding{Number: 1, Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal"}
	lacking := &tree.Finding{Number: 2, Pointer: "/FeCAEReq/FeDetReq/FECAEDetRequest/0/Tributos/Tributo"}
	whole := &tree.Finding{Number: 3, Pointer: "no pointer"}
	escaped := &tree.Finding{Number: 4, Pointer: "/a~1b"}
	root := build(t, strings.Replace(lot(1), `{"Auth"`, `{"a/b":null,"Auth"`, 1), 0, at, lacking, whole, escaped)
	one := root.Member("FeCAEReq", "FeDetReq", "FECAEDetRequest").Children[0]
	total, missing := one.Member("ImpTotal"), one.Children[len(one.Children)-1]
	switch {
	case len(total.Findings) != 1 || total.Anchor != at.Anchor || at.Anchor == "":
		t.Errorf("the total has %+v", total)
	case missing.State != tree.Missing || missing.Name != "Tributos/Tributo" || missing.Findings[0] != lacking:
		t.Errorf("what is missing is %+v", missing)
	case len(root.Findings) != 1 || root.Findings[0] != whole:
		t.Errorf("about the whole is %+v", root.Findings)
	case len(root.Member("a/b").Findings) != 1:
		t.Error("an escaped name has none")
	case !one.Open || one.Below != 2:
		t.Errorf("the invoice is folded, with %d", one.Below)
	}
}

// TestAnItemIsShownForItsFinding where a list is shown in part. Every other one is counted.
func TestAnItemIsShownForItsFinding(t *testing.T) {
	findings := []*tree.Finding{}
	for i := 200; i < 250; i++ {
		findings = append(findings, &tree.Finding{Pointer: fmt.Sprintf("/FeCAEReq/FeDetReq/FECAEDetRequest/%d/DocNro", i)})
	}
	list := tree.Lot(build(t, lot(250), 20, findings...))
	var names []string
	left, elsewhere := 0, 0
	for _, n := range list.Children {
		switch n.State {
		case tree.Gap:
			left += n.Count
		case tree.Left:
			elsewhere++
		default:
			names = append(names, n.Name)
		}
	}
	if len(names) != 35 || names[0] != "21" || names[9] != "30" || names[10] != "201" || names[34] != "225" || left != 215 || elsewhere != 25 {
		t.Errorf("shown are %v, left %d, findings elsewhere %d", names, left, elsewhere)
	}
}

// TestHostileBodiesStayBounded: deep, wide, long, and with marks that turn a line around.
func TestHostileBodiesStayBounded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, body := range map[string]string{
		"deep": strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		"wide": "{" + strings.TrimSuffix(strings.Repeat(`"a":1,`, 200_000), ",") + "}",
		"long": `{"` + long + `":"` + long + `","b":"` + long + `"}`,
		"list": "[" + strings.TrimSuffix(strings.Repeat(`[[1]],`, 100_000), ",") + "]",
	} {
		nodes, bytes := 0, 0
		var count func(*tree.Node)
		count = func(n *tree.Node) {
			nodes++
			bytes += len(n.Name) + len(n.Text)
			for _, child := range n.Children {
				count(child)
			}
		}
		root, err := tree.Build([]byte(body), tree.Options{Words: words, Findings: []*tree.Finding{{Pointer: strings.Repeat("/a", 6000)}, {Pointer: "/" + long}}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if count(root); nodes > 4000 || bytes > 100_000 {
			t.Errorf("%s: %d nodes, %d bytes", name, nodes, bytes)
		}
	}
	turned := build(t, "{\"a\":\"\u202e<script>\\u0000\"}", 0).Member("a")
	if turned.Text != `\u202e<script>\u0000` {
		t.Errorf("a text is %q", turned.Text)
	}
	if _, err := tree.Build([]byte(`{"a":`), tree.Options{Words: words}); err == nil {
		t.Error("half a body has a tree")
	}
}
