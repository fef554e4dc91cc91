package soap_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1/soap"
)

func TestFaultsAreWrittenAsTheServiceWritesThem(t *testing.T) {
	fault := soap.Fault{Code: soap.Client, Text: `El valor <x> & "y"`}
	const begin = `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="`
	const more = `" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body><soap:Fault>`
	const end = `</soap:Fault></soap:Body></soap:Envelope>`
	for version, want := range map[soap.Version]string{
		soap.V11: begin + soap11 + more + `<faultcode>soap:Client</faultcode><faultstring>El valor &lt;x&gt; &amp; "y"</faultstring><detail />` + end,
		soap.V12: begin + soap12 + more + `<soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code>` +
			`<soap:Reason><soap:Text xml:lang="en">El valor &lt;x&gt; &amp; "y"</soap:Text></soap:Reason><soap:Detail />` + end,
	} {
		if got := string(soap.AppendFault(nil, version, fault)); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

func TestFaultsAreReadInBothVersions(t *testing.T) {
	op := operation(t, "FEDummy")
	for _, version := range []soap.Version{soap.V11, soap.V12} {
		for _, code := range []soap.FaultCode{soap.Client, soap.Server, soap.VersionMismatch, soap.MustUnderstand} {
			sent := &soap.Fault{Code: code, Text: "upstream.unknown: ñ", Detail: []soap.Detail{{Name: "code", Text: "upstream.unknown"}, {Name: "record", Text: "/x/1"}}}
			answer, err := soap.Parse(op, soap.AppendFault(nil, version, *sent), "")
			if err != nil || len(answer.Findings) > 0 || !reflect.DeepEqual(answer.Fault, sent) || answer.Version != version || answer.Body != nil {
				t.Errorf("%v %s: %+v, %v", version, code, answer, err)
			}
		}
	}
}

// TestCausesAndTheRecordAreInTheDetail, in a namespace of our own; and without the record it is the
// fault as it was.
func TestCausesAndTheRecordAreInTheDetail(t *testing.T) {
	fault := soap.Fault{Code: soap.Client, Text: "</detail>", Causes: []soap.Cause{{Code: "shape.kind", Pointer: "/a&b/0", Path: "/Envelope/a&b[1]"}, {Code: "x"}}}
	const ours = ` xmlns="` + soap.FaultNamespace + `">`
	const errors = `<Error` + ours + `<Code>shape.kind</Code><Pointer>/a&amp;b/0</Pointer><Path>/Envelope/a&amp;b[1]</Path></Error>` +
		`<Error` + ours + `<Code>x</Code></Error>`
	for version, name := range map[soap.Version]string{soap.V11: "detail", soap.V12: "soap:Detail"} {
		recorded := string(soap.AppendFault(nil, version, fault))
		sent := string(soap.WithRecord([]byte(recorded), version, "a&b/41"))
		const record = `<Record` + ours + `a&amp;b/41</Record>`
		if want := `<` + name + `>` + errors + record + `</` + name + `></soap:Fault>`; !strings.Contains(sent, want) {
			t.Errorf("%s\nwant\n%s", sent, want)
		}
		if without := strings.Replace(sent, record, "", 1); without != recorded {
			t.Errorf("%s\nwant\n%s", without, recorded)
		}
	}
}

func TestFaultsOfOthersAreRead(t *testing.T) {
	for inner, want := range map[string]soap.Fault{
		`<faultcode xmlns:n="urn:x">n:Server.userException</faultcode><faultstring> a </faultstring><detail>x<y>z<w>v</w></y></detail>`:                                                  {Code: soap.Server, Subcode: "userException", Text: " a ", Detail: []soap.Detail{{Name: "y", Text: "zv"}}},
		`<faultcode>Client</faultcode><faultactor>x</faultactor>`:                                                                                                                        {Code: soap.Client},
		`<s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>a:b</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en">a</s:Text><s:Text xml:lang="es">b</s:Text></s:Reason>`: {Code: soap.Client, Subcode: "b", Text: "a"},
		``: {},
	} {
		answer, err := soap.Parse(operation(t, "FEDummy"), envelope(soap11, `<s:Body><s:Fault>`+inner+`</s:Fault></s:Body>`), "")
		if err != nil || len(answer.Findings) > 0 || !reflect.DeepEqual(*answer.Fault, want) {
			t.Errorf("%s: %+v, %v", inner, answer, err)
		}
	}
}

func TestAFaultTellsWhatIsWrongInTheWordsOfTheServiceFirst(t *testing.T) {
	for content, want := range map[string][]string{
		`<PtoVta>abc</PtoVta>`:                 {"Server was unable to read request. ---> System.InvalidOperationException: There is an error in XML document (1, ", "System.FormatException: Input string was not in a correct format.", "shape.kind /PtoVta"},
		`<PtoVta>2147483648</PtoVta>`:          {"System.OverflowException: Value was either too large or too small for an Int32.", "shape.range /PtoVta"},
		`<PtoVta>1.5</PtoVta>`:                 {"System.FormatException", "shape.fraction /PtoVta"},
		`<PtoVta>1</PtoVta><PtoVta>1</PtoVta>`: {"Server was unable to read request. shape.duplicate /PtoVta: El elemento está repetido."},
	} {
		fault, status, ok := soap.Malformed(read(t, request("FECompUltimoAutorizado", auth+content)).Findings)
		if !ok || status != 500 || fault.Code != soap.Client {
			t.Errorf("%s: %+v, %d, %v", content, fault, status, ok)
		}
		for _, text := range want {
			if !strings.Contains(fault.Text, text) {
				t.Errorf("%s: no %q in %q", content, text, fault.Text)
			}
		}
	}
	for _, content := range []string{`<PtoVta>`, `</x>`, `&x;`, `<PtoVta>abc</PtoVta><`} {
		if fault, status, ok := soap.Malformed(read(t, request("FECompUltimoAutorizado", auth+content)).Findings); ok || status != 400 {
			t.Errorf("%s: %+v, %d", content, fault, status)
		}
	}
}

func TestAFaultIsShortHoweverMuchIsWrong(t *testing.T) {
	many := strings.Repeat(`<FECAEDetRequest><DocNro>x</DocNro></FECAEDetRequest>`, 3000)
	req := read(t, request("FECAESolicitar", auth+`<FeCAEReq><FeCabReq/><FeDetReq>`+many+`</FeDetReq></FeCAEReq>`))
	if len(req.Findings) != soap.MaxFindings+1 || req.Findings[soap.MaxFindings].Code != soap.CodeTooMany {
		t.Fatal(len(req.Findings))
	}
	if fault, _, _ := soap.Malformed(req.Findings); len(fault.Text) > 2000 {
		t.Errorf("%d bytes", len(fault.Text))
	}
}
