package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// converted runs `wsfev1 convert` on a document that loses nothing.
func converted(t testing.TB, document string, flags ...string) string {
	t.Helper()
	out, errs, err := wsfev1Command(document, append([]string{"convert", "-"}, flags...)...)
	if err != nil || errs != "" {
		t.Fatalf("%v: %v, %q for %.2000s", flags, err, errs, document)
	}
	return out
}

func compact(t testing.TB, document string) string {
	t.Helper()
	value := jsontext.Value(document)
	if err := value.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(value)
}

func TestConvertWritesTheOtherForm(t *testing.T) {
	invoice := caddytest.Invoice(1)
	for _, to := range []string{"soap11", "soap12"} {
		message := converted(t, invoice, "--to", to)
		if out, errs, err := wsfev1Command(message, "check", "--format", "json", "-"); err != nil || !strings.Contains(out, `"form":"`+to+`"`) {
			t.Errorf("%s is checked as %q, %q, %v", message, out, errs, err)
		}
		for _, want := range []string{"\n            <ImpTotal>121.00</ImpTotal>\n", "<Token>" + caddytest.Token + "</Token>", "\n</soap:Envelope>\n"} {
			if !strings.Contains(message, want) {
				t.Errorf("no %q in %s", want, message)
			}
		}
		if again := converted(t, message); !strings.Contains(again, "\"ImpTotal\": 121.00,\n") {
			t.Errorf("%s", again)
		}
	}
	if line := converted(t, invoice, "--compact"); strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "<?xml") || !strings.Contains(line, soap.V11.Namespace()) {
		t.Errorf("compact: %s", line)
	}
	twelve := converted(t, converted(t, invoice), "--to", "soap12", "--compact")
	if back := converted(t, twelve, "--compact"); !strings.HasPrefix(twelve, "<?xml") || back != converted(t, invoice, "--to", "json", "--compact") {
		t.Errorf("%s, then %s", twelve, back)
	}
}

// TestConvertNamesWhatIsLost, and ends with 1 only if it is content.
func TestConvertNamesWhatIsLost(t *testing.T) {
	message := envelope(t, soap.V11, "FECAESolicitar", caddytest.Invoice(1))
	answer := converted(t, `{"CbteNro":7}`, "--answer", "--operation", "FECompUltimoAutorizado", "--compact")
	for name, c := range map[string]struct {
		document, flags, want string
		lost                  bool
	}{
		"an element":               {strings.Replace(message, "<FeCabReq>", "<FeCabReq>\n<Extra><Deep/></Extra>", 1), "", "left out: line 12: /Envelope/Body/FECAESolicitar/FeCAEReq/FeCabReq/Extra, which the service does not know\n", true},
		"text between elements":    {strings.Replace(message, "<FeCabReq>", "<FeCabReq>text", 1), "", "left out: line 11: text in /Envelope/Body/FECAESolicitar/FeCAEReq/FeCabReq, which the service does not see\n", true},
		"of another namespace":     {strings.Replace(message, "<FeCabReq>", `<FeCabReq><PtoVta xmlns="x"/>`, 1), "", "FeCabReq/PtoVta, which the service does not know\n", true},
		"of an answer":             {strings.Replace(answer, "<CbteNro>", "<Extra/><CbteNro>", 1), "", "/FECompUltimoAutorizadoResult/Extra, which the service does not know\n", true},
		"a comment":                {strings.Replace(message, "<FeCabReq>", "<FeCabReq><!-- x -->", 1), "", "left out: line 11: a comment\n", false},
		"an instruction":           {strings.Replace(message, "<FeCabReq>", "<FeCabReq><?x y?>", 1), "", "left out: line 11: a processing instruction\n", false},
		"a header":                 {strings.Replace(message, "<soap:Body>", "<soap:Header>\n<x/></soap:Header><soap:Body>", 1), "", "left out: line 4: a block of the Header\n", false},
		"more digits than doubles": {strings.Replace(caddytest.Invoice(1), `"ImpTotal":121.00`, `"ImpTotal":121.0000000000000000001`, 1), "", "changed: /FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal reads otherwise in the result\n", true},
		"a member of an answer":    {`{"CbteNro":7,"More":{}}`, "--answer --operation FECompUltimoAutorizado", "left out: /More, which the service does not know\n", true},
		"a text of an answer":      {`{"AppServer":"\u0000"}`, "--answer --operation FEDummy", "changed: /AppServer reads otherwise in the result\n", true},
	} {
		out, errs, err := wsfev1Command(c.document, append([]string{"convert", "-"}, strings.Fields(c.flags)...)...)
		if out == "" || !strings.HasSuffix(errs, c.want) || strings.Count(errs, "\n") != 1 || (err != nil) != c.lost {
			t.Errorf("%s: %.300q, %q, %v, want %q", name, out, errs, err, c.want)
		}
	}
	many := strings.Replace(message, "<FeCabReq>", "<FeCabReq>"+strings.Repeat("<X/>", 30)+strings.Repeat("<!-- --><Y/>", 30), 1)
	if _, errs, _ := wsfev1Command(many, "convert", "-"); !strings.HasSuffix(errs, "left out: 50 more\n") || strings.Count(errs, "\n") != 41 {
		t.Errorf("many: %q", errs)
	}
}

// TestConvertSaysWhyItCannot, and writes nothing.
func TestConvertSaysWhyItCannot(t *testing.T) {
	invoice := caddytest.Invoice(1)
	message := envelope(t, soap.V11, "FECAESolicitar", invoice)
	answer := converted(t, `{"CbteNro":7}`, "--answer", "--operation", "FECompUltimoAutorizado")
	const body = `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>`
	for name, c := range map[string]struct{ document, flags, want string }{
		"nothing":              {" \n", "", "the standard input: it is empty"},
		"no document":          {"x", "", "it is neither JSON nor XML"},
		"no operation":         {"{}", "", "name it with --operation"},
		"a wrong operation":    {"{}", "--operation FECAESolictar", "no such operation"},
		"a wrong form":         {invoice, "--to xml", `--to "xml": use json, soap11 or soap12`},
		"JSON twice":           {invoice + invoice, "", "shape.trailing"},
		"a repeated member":    {strings.Replace(invoice, `"Concepto"`, `"Concepto":1,"Concepto"`, 1), "", "shape.duplicate"},
		"an unknown member":    {strings.Replace(invoice, `"Concepto"`, `"More":1,"Concepto"`, 1), "", "shape.unknown"},
		"a repeated element":   {strings.Replace(message, "<Concepto>", "<Concepto>1</Concepto><Concepto>", 1), "", "shape.duplicate: El elemento está repetido. (/FeCAEReq/FeDetReq/FECAEDetRequest/0/Concepto) en /Envelope/"},
		"a text XML lacks":     {`{` + caddytest.AuthText + `,"MonId":"\u0001"}`, "", "shape.character"},
		"no double":            {strings.Replace(invoice, `"ImpTotal":121.00`, `"ImpTotal":1e400`, 1), "", "shape.range"},
		"an answer":            {`{"ResultGet":{}}`, "", "it is an answer of the service: add --answer and --operation"},
		"an unnamed answer":    {`{"ResultGet":{}}`, "--answer", "name it with --operation"},
		"an error":             {`{"Errors":{"Err":[{"Code":"600","Msg":"y"}]}}`, "--answer --operation FECompUltimoAutorizado", "it is not of the shape of FECompUltimoAutorizado"},
		"an empty Body":        {body + "</s:Body></s:Envelope>", "", "name the operation with --operation"},
		"a misspelled element": {strings.ReplaceAll(message, "FECAESolicitar", "FECAESolictar"), "", "did you mean FECAESolicitar?"},
		"another operation":    {message, "--operation FEDummy", "it is a request of FECAESolicitar, and --operation is FEDummy"},
		"another answer":       {answer, "--operation FEDummy", "it is an answer to FECompUltimoAutorizado, and --operation is FEDummy"},
		"a request as answer":  {message, "--answer", "it is a request of FECAESolicitar, and --answer was given"},
		"a fault":              {string(soap.AppendFault(nil, soap.V11, soap.Fault{})), "", "it is a SOAP fault"},
		"a page":               {"<html/>", "", "the root is no SOAP envelope"},
		"cut off":              {message[:100], "", "line 2, column "},
		"HTTP":                 {"HTTP/1.1 200 OK\n\n{}", "", "it is recorded HTTP"},
		"JSON in UTF-16":       {inUTF16("{}", 1, 0), "", "it is in UTF-16 and no XML"},
	} {
		out, errs, err := wsfev1Command(c.document, append([]string{"convert", "-"}, strings.Fields(c.flags)...)...)
		if out != "" || err == nil || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %q, %q, %v, want %q", name, out, errs, err, c.want)
		}
	}
	if _, errs, err := wsfev1Command("", "convert", "none\x1b.xml"); err == nil || !strings.HasPrefix(errs, `Error: none\u001b.xml: no such file`) {
		t.Errorf("no file: %q", errs)
	}
	if _, errs, err := wsfev1Command("", "convert", t.TempDir()); err == nil || !strings.Contains(errs, "is a directory") {
		t.Errorf("a folder: %q", errs)
	}
}

// TestConvertWritesNoControlCharacters: the output may go to a terminal.
func TestConvertWritesNoControlCharacters(t *testing.T) {
	document := `{` + caddytest.AuthText + `,"MonId":"a\u0085\u202e\u009b31mb\u007f"}`
	message := converted(t, document)
	for _, text := range []string{message, converted(t, message)} {
		if strings.ContainsAny(text, "\u0085\u202e\u009b\u007f") {
			t.Errorf("%q", text)
		}
	}
	if !strings.Contains(message, "<MonId>a&#x85;&#x202E;&#x9B;31mb&#x7F;</MonId>") || compact(t, converted(t, message)) != compact(t, document) {
		t.Errorf("%s", message)
	}
}

// TestConvertPrintsNoCredentialsInMessages, however wrong the document is.
func TestConvertPrintsNoCredentialsInMessages(t *testing.T) {
	m := caddytest.NewMarkers()
	requests := caddytest.RequestsWithCredentials()
	right := envelope(t, soap.V11, "FECAESolicitar", strings.NewReplacer(caddytest.Token, "$T", caddytest.Sign, "$S").Replace(caddytest.Invoice(1)))
	name := strings.NewReplacer("+", "", "/", "", "=", "").Replace("T" + m.Token)[:300]
	requests["SOAP"] = right
	requests["SOAP, in a comment"] = strings.Replace(right, "<FeCAEReq>", "<!-- $T --><FeCAEReq>", 1)
	requests["SOAP, cut off"] = right[:len(right)/2]
	requests["SOAP, wrong case"] = strings.NewReplacer("Token>", "token>", "Sign>", "SIGN>").Replace(right)
	requests["SOAP, as a name"] = strings.Replace(right, "<FeCAEReq>", "<"+name+"/><FeCAEReq>", 1)
	requests["SOAP, as a number"] = strings.Replace(right, ">121.00<", ">$T<", 1)
	requests["SOAP, in a fault"] = string(soap.AppendFault(nil, soap.V11, soap.Fault{Text: "$T"}))
	requests["HTTP"] = "POST /?$T HTTP/1.1\nSOAPAction: $S\n\n{}"
	said := 0
	for name, request := range requests {
		for _, flags := range []string{"", "--operation FECAESolicitar", "--answer --operation FECAESolicitar"} {
			_, errs, err := wsfev1Command(m.In(request), append([]string{"convert", "-"}, strings.Fields(flags)...)...)
			m.AbsentFrom(t, name+" "+flags, []byte(errs+fmt.Sprint(err)))
			said += len(errs)
		}
	}
	if said < 3000 {
		t.Errorf("only %d bytes were looked through", said)
	}
}
