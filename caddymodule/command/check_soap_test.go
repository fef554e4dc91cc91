package command_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// envelope writes a request, given in JSON, as a SOAP message with an element a line.
func envelope(t testing.TB, version soap.Version, operation, body string) string {
	t.Helper()
	request, findings := validate.Decode(wsfev1.OperationByName(operation), []byte(body), validate.ARCA)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	message, err := soap.AppendRequest(nil, version, request.Operation, request.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(message), "><", ">\n<") + "\n"
}

// inUTF16 writes a text in UTF-16 with a byte order mark.
func inUTF16(text string, low, high int) string {
	wide := []byte{0, 0}
	wide[low], wide[high] = 0xFF, 0xFE
	for _, unit := range utf16.Encode([]rune(text)) {
		pair := []byte{0, 0}
		pair[low], pair[high] = byte(unit), byte(unit>>8)
		wide = append(wide, pair...)
	}
	return string(wide)
}

// TestCheckJudgesSOAP as JSON, with the place of each finding in the message.
func TestCheckJudgesSOAP(t *testing.T) {
	right := envelope(t, soap.V11, "FECAESolicitar", caddytest.Invoice(1))
	wrong := envelope(t, soap.V12, "FECAESolicitar", wrongTotal())
	before, _, _ := strings.Cut(wrong, "<ImpTotal>")
	total := strings.Count(before, "\n") + 1
	const path = "/Envelope/Body/FECAESolicitar/FeCAEReq/FeDetReq/FECAEDetRequest[1]/ImpTotal"
	for name, c := range map[string]struct {
		message, flags, out, counts string
	}{
		"right":              {right, "", "", "1 document, 0 refused, 0 unreadable"},
		"named":              {right, "--operation FECAESolicitar", "", "1 document, 0 refused, 0 unreadable"},
		"after white space":  {strings.TrimPrefix("\n \n"+strings.SplitN(right, "?>", 2)[1], "\n"), "", "", "1 document, 0 refused, 0 unreadable"},
		"with a mark":        {"\xEF\xBB\xBF" + right, "", "", "1 document, 0 refused, 0 unreadable"},
		"UTF-16, little end": {inUTF16(strings.Replace(right, "utf-8", "utf-16", 1), 0, 1), "", "", "1 document, 0 refused, 0 unreadable"},
		"UTF-16, big end":    {inUTF16(strings.Replace(right, "utf-8", "utf-16", 1), 1, 0), "", "", "1 document, 0 refused, 0 unreadable"},
		"a rule":             {wrong, "", fmt.Sprintf("-:%d:1: rechazado: 10048: ", total), "1 document, 1 refused, 0 unreadable"},
		"its path":           {wrong, "", " en " + path + "\n", "1 document, 1 refused, 0 unreadable"},
		"a rule observed":    {wrong, "--rule 10048=observe", fmt.Sprintf("-:%d:1: observado: 10048: ", total), "1 document, 0 refused, 0 unreadable"},
		"shape":              {strings.Replace(wrong, ">150.00<", ">x<", 1), "", fmt.Sprintf("-:%d:1: rechazado: shape.kind: ", total), "1 document, 1 refused, 0 unreadable"},
		"twice":              {strings.Replace(wrong, "<ImpTotal>", "<ImpTotal>1</ImpTotal>\n<ImpTotal>", 1), "", fmt.Sprintf("-:%d:1: rechazado: shape.duplicate: ", total+1), "1 document, 1 refused, 0 unreadable"},
		"something missing":  {strings.NewReplacer("<Auth>", "<Other>", "</Auth>", "</Other>").Replace(right), "", "rechazado: shape.missing: Falta el elemento obligatorio. (/Auth) en /Envelope/Body/FECAESolicitar/Auth", "1 document, 1 refused, 0 unreadable"},
		"the base contract":  {right, "--contract base", "/CondicionIVAReceptorId) en ", "1 document, 1 refused, 0 unreadable"},
		"cut off":            {right[:len(right)/2], "", "rechazado: shape.syntax: ", "1 document, 0 refused, 1 unreadable"},
		"no entity":          {strings.Replace(right, "<s", "&x;<s", 1), "", "-:2:1: rechazado: shape.syntax: ", "1 document, 0 refused, 1 unreadable"},
	} {
		out, errs, err := wsfev1Command(c.message, append([]string{"check", "-"}, strings.Fields(c.flags)...)...)
		if !strings.Contains(out, c.out) || c.out == "" && out != "" || strings.TrimSpace(errs) != c.counts {
			t.Errorf("%s: printed %q, %q, %v, want %q, %q", name, out, errs, err, c.out, c.counts)
		}
	}
}

// TestCheckSaysWhatADocumentIsInstead of a request, and judges the others all the same.
func TestCheckSaysWhatADocumentIsInstead(t *testing.T) {
	op := wsfev1.OperationByName("FECAESolicitar")
	answer, err := soap.AppendAnswer(nil, soap.V11, op, op.NewAnswer(), soap.Info{})
	if err != nil {
		t.Fatal(err)
	}
	right := envelope(t, soap.V11, "FECAESolicitar", caddytest.Invoice(1))
	for name, c := range map[string]struct{ document, flags, want string }{
		"a fault":              {string(soap.AppendFault(nil, soap.V12, soap.Fault{})), "", "ilegible: El documento es un fault de SOAP"},
		"an answer":            {string(answer), "", "ilegible: El documento es la respuesta de FECAESolicitar, no un pedido."},
		"an answer in JSON":    {`{"FeCabResp":{},"Errors":{}}`, "", "ilegible: El documento es una respuesta del servicio, no un pedido."},
		"an error in JSON":     {`{"Errors":{"Err":[]}}`, "", "ilegible: El documento es una respuesta del servicio, no un pedido."},
		"a recorded request":   {"POST /wsfev1/service.asmx HTTP/1.1\r\nHost: x\r\n\r\n" + right, "", "-:1: ilegible: El archivo tiene un pedido de HTTP"},
		"a recorded answer":    {"HTTP/2 200\r\n\r\n" + right, "", "-:1: ilegible: El archivo tiene una respuesta de HTTP"},
		"a header":             {"Content-Type: text/xml\r\n\r\n" + right, "", "-:1: ilegible: El archivo tiene un mensaje de HTTP"},
		"a page":               {"<html><body/></html>", "", "rechazado: shape.unknown: La raíz del documento no es un Envelope de SOAP."},
		"another version":      {`<Envelope xmlns="urn:x"/>`, "", "rechazado: shape.unknown: El Envelope no es de SOAP 1.1 ni de SOAP 1.2."},
		"a misspelled element": {strings.ReplaceAll(right, "FECAESolicitar", "FECAESolictar"), "", "rechazado: shape.unknown: El elemento del Body no es una operación del contrato. ¿Quiso decir FECAESolicitar?"},
		"an empty Body":        {`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>`, "", "indique la operación con --operation"},
		"another operation":    {right, "--operation FEDummy", "ilegible: El mensaje es de FECAESolicitar, y --operation dice FEDummy."},
		"JSON in UTF-16":       {inUTF16("{}", 0, 1), "", "rechazado: shape.syntax: El documento está en UTF-16 y no es XML"},
	} {
		out, errs, err := wsfev1Command(c.document, append([]string{"check", "-"}, strings.Fields(c.flags)...)...)
		if !strings.Contains(out, c.want) || strings.Count(out, "\n") != 1 || !strings.Contains(errs, "1 document, ") || !strings.Contains(errs, "1 unreadable") || err == nil {
			t.Errorf("%s: printed %q, %q, %v, want %q", name, out, errs, err, c.want)
		}
	}
	empty := `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body/></s:Envelope>`
	if out, _, err := wsfev1Command(empty, "check", "--operation", "FEDummy", "-"); err != nil || out != "" {
		t.Errorf("an operation that SOAPAction alone names: %q, %v", out, err)
	}
}

// TestCheckPrintsThePlacesAsJSON, for SOAP alone.
func TestCheckPrintsThePlacesAsJSON(t *testing.T) {
	out, _, _ := wsfev1Command(envelope(t, soap.V12, "FECAESolicitar", wrongTotal()), "check", "--format", "json", "-")
	got := caddytest.Response{Body: []byte(out)}
	for pointer, want := range map[string]string{
		"/form": `"soap12"`, "/operation": `"FECAESolicitar"`, "/refused": "true", "/line": "1",
		"/findings/0/pointer": `"/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal"`,
		"/findings/0/path":    `"/Envelope/Body/FECAESolicitar/FeCAEReq/FeDetReq/FECAEDetRequest[1]/ImpTotal"`,
		"/findings/0/line":    "23", "/findings/0/column": "1", "/findings/0/code": `"10048"`,
	} {
		if at := got.At(t, pointer); at != want {
			t.Errorf("%s is %s, want %s in %s", pointer, at, want, out)
		}
	}
}

// TestCheckReadsSOAPBesideJSON, whatever the names of the files.
func TestCheckReadsSOAPBesideJSON(t *testing.T) {
	files(t, map[string]string{"a.json": envelope(t, soap.V11, "FECAESolicitar", wrongTotal()), "b.xml": wrongTotal()})
	out, errs, _ := wsfev1Command("", "check", "a.json", "b.xml")
	if !strings.Contains(out, "a.json:23:1: rechazado: 10048") || !strings.Contains(out, "b.xml:1: rechazado: 10048") || errs != "2 documents, 2 refused, 0 unreadable\n" {
		t.Errorf("printed %q, %q", out, errs)
	}
}

// TestCheckPrintsNoCredentialsOfSOAP, wherever they stand.
func TestCheckPrintsNoCredentialsOfSOAP(t *testing.T) {
	m := caddytest.NewMarkers()
	right := m.In(envelope(t, soap.V11, "FECAESolicitar", strings.NewReplacer(caddytest.Token, "$T", caddytest.Sign, "$S").Replace(wrongTotal())))
	printed := 0
	for name, message := range map[string]string{
		"right":                    right,
		"in a figure":              m.In(strings.Replace(right, ">PES<", ">$S<", 1)),
		"misnamed, and in figures": m.In(strings.NewReplacer("Token>", "token>", "Sign>", "SIGN>", ">PES<", ">$T<").Replace(right)),
		"as names":                 m.In(strings.Replace(right, "<FeCAEReq>", "<$T/><FeCAEReq>", 1)),
		"as a number":              m.In(strings.Replace(right, ">150.00<", ">$T<", 1)),
		"in a comment":             m.In(strings.Replace(right, "<FeCAEReq>", "<!-- $T --><FeCAEReq>", 1)),
		"in a fault":               string(soap.AppendFault(nil, soap.V11, soap.Fault{Text: m.Token})),
		"as the operation":         strings.ReplaceAll(right, "FECAESolicitar", strings.NewReplacer("+", "", "/", "", "=", "").Replace("T" + m.Token)[:400]),
		"in HTTP":                  m.In("POST /x?token=$T HTTP/1.1\nSOAPAction: $S\n\n" + right),
		"cut off":                  right[:strings.Index(right, m.Token)+100],
	} {
		for _, flags := range []string{"", "--format json", "--operation FECAESolicitar"} {
			out, errs, err := wsfev1Command(message, append([]string{"check", "-"}, strings.Fields(flags)...)...)
			m.AbsentFrom(t, name+" "+flags, []byte(out+errs+fmt.Sprint(err)))
			printed += len(out)
		}
	}
	if printed < 3000 {
		t.Errorf("only %d bytes were looked through", printed)
	}
}
