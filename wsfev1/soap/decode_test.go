package soap_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

func TestEveryClientsFormReadsAsTheSameRequest(t *testing.T) {
	all := files(t, "requests")
	want := meaning(t, read(t, all["default-namespace"]).Body)
	if !strings.Contains(want, `"ImpTotal":14762000.5,`) || !strings.Contains(want, "Tasa de la Ñ & \\\"otras\\\" <municipales>") {
		t.Fatalf("read as %s", want)
	}
	for name, body := range all {
		req := read(t, body)
		if len(req.Findings) > 0 {
			t.Errorf("%s: %v", name, brief(req.Findings))
		} else if got := meaning(t, req.Body); got != want {
			t.Errorf("%s reads as\n%s\nwant\n%s", name, got, want)
		}
		if ignored := len(req.Ignored); ignored > 0 != (name == "unknown-elements") {
			t.Errorf("%s: ignored %v", name, req.Ignored)
		}
	}
}

func TestDigitsAreKept(t *testing.T) {
	req := read(t, request("FECAESolicitar", `<FeCAEReq><FeDetReq><FECAEDetRequest><ImpTotal>121.00</ImpTotal><ImpNeto>1.210E2</ImpNeto>`+
		`<MonCotiz>1.000000</MonCotiz><ImpIVA>931569.09999999998</ImpIVA></FECAEDetRequest></FeDetReq></FeCAEReq>`))
	d := req.Body.(*wsfev1.FECAESolicitarRequest).FeCAEReq.FeDetReq.FECAEDetRequest[0]
	for _, c := range []struct{ got, want string }{
		{d.ImpTotal.String(), "121.00"}, {d.ImpNeto.String(), "121"}, {d.MonCotiz.String(), "1.000000"}, {d.ImpIVA.String(), "931569.1"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	if d.ImpTrib.Sent() {
		t.Error("an amount that is absent was sent")
	}
}

func TestATextInPiecesIsOneText(t *testing.T) {
	for content, want := range map[string]string{
		`a&amp;b`: "a&b", `&amp;<!-- -->x`: "&x", `x<!-- -->&amp;<?p?>&lt;`: "x&<", `<![CDATA[]]>a<![CDATA[&amp;]]>`: "a&amp;", `a<!-- -->b<!-- -->c`: "abc", "\r\na": "\na", ``: "", `<![CDATA[ ]]>`: " ",
	} {
		req := read(t, request("FEParamGetCotizacion", auth+`<MonId>`+content+`</MonId>`))
		if got := req.Body.(*wsfev1.FEParamGetCotizacionRequest).MonId; got != want || len(req.Findings) > 0 {
			t.Errorf("%s: %q, %v; want %q", content, got, brief(req.Findings), want)
		}
	}
}

func TestAMessageOfAnotherOperationIsNotRead(t *testing.T) {
	e, err := soap.Open(request("FECompTotXRequest", auth), "")
	if err != nil {
		t.Fatal(err)
	}
	req := e.Decode(operation(t, "FEParamGetTiposIva"))
	if got := brief(req.Findings); !slices.Equal(got, []string{"shape.unknown"}) || req.Body.(*wsfev1.AuthRequest).Auth.Cuit != 0 {
		t.Errorf("%v, %+v", got, req.Body)
	}
}

const auth = `<Auth><Token>T</Token><Sign>S</Sign><Cuit>20267565393</Cuit></Auth>`

func TestWhatIsWrongIsFoundAtItsPlace(t *testing.T) {
	invoice := func(content string) string {
		return auth + `<FeCAEReq><FeCabReq><CantReg>1</CantReg><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo></FeCabReq><FeDetReq><FECAEDetRequest/><FECAEDetRequest>` +
			content + `</FECAEDetRequest></FeDetReq></FeCAEReq>`
	}
	const at = "/FeCAEReq/FeDetReq/FECAEDetRequest/1"
	const enc = `xmlns:e="http://www.w3.org/2003/05/soap-encoding"`
	for content, want := range map[string][]string{
		invoice(``):                                     {},
		invoice(`<DocNro>abc</DocNro>`):                 {"shape.kind " + at + "/DocNro"},
		invoice(`<DocNro/>`):                            {"shape.kind " + at + "/DocNro"},
		invoice(`<DocNro> </DocNro>`):                   {"shape.kind " + at + "/DocNro"},
		invoice(`<DocNro xsi:nil="true"/>`):             {"shape.kind " + at + "/DocNro"},
		invoice(`<DocNro><x/></DocNro>`):                {"shape.kind " + at + "/DocNro"},
		invoice(`<DocNro>1.0</DocNro>`):                 {"shape.fraction " + at + "/DocNro"},
		invoice(`<DocNro>1e2</DocNro>`):                 {"shape.fraction " + at + "/DocNro"},
		invoice(`<DocNro>9223372036854775808</DocNro>`): {"shape.range " + at + "/DocNro"},
		invoice(`<DocTipo>20267565393</DocTipo>`):       {"shape.range " + at + "/DocTipo"},
		invoice(`<DocTipo>-2147483649</DocTipo>`):       {"shape.range " + at + "/DocTipo"},
		invoice(`<DocTipo>-2147483648</DocTipo>`):       {},
		invoice(`<DocNro>1</DocNro><DocNro>1</DocNro>`): {"shape.duplicate " + at + "/DocNro"},
		invoice(`<ImpTotal>1,5</ImpTotal>`):             {"shape.kind " + at + "/ImpTotal"},
		invoice(`<ImpTotal>1.000,50</ImpTotal>`):        {"shape.kind " + at + "/ImpTotal"},
		invoice(`<ImpTotal>INF</ImpTotal>`):             {"shape.kind " + at + "/ImpTotal"},
		invoice(`<ImpTotal>NaN</ImpTotal>`):             {"shape.kind " + at + "/ImpTotal"},
		invoice(`<ImpTotal>1E400</ImpTotal>`):           {"shape.range " + at + "/ImpTotal"},
		invoice(`<MonId><b>PES</b></MonId>`):            {"shape.kind " + at + "/MonId"},
		invoice(`<MonId xsi:nil="true">PES</MonId>`):    {"shape.kind " + at + "/MonId"},
		invoice(`<MonId xsi:nil="true"/>`):              {},
		invoice(`<Iva xsi:nil="true"><AlicIva/></Iva>`): {"shape.kind " + at + "/Iva"},
		invoice(`<Iva xsi:nil="true"> </Iva>`):          {},
		invoice(`<MonId>&#65;<!-- -->B<![CDATA[C]]>&lt;</MonId><CanMisMonExt>a<!-- -->&amp;</CanMisMonExt><DocTipo>&#49;<!-- -->2</DocTipo>`): {},
		invoice(`<Iva>x</Iva>`):                                                                                     {},
		invoice(`<Iva xsi:nil="TRUE"/>`):                                                                            {"shape.kind " + at + "/Iva"},
		invoice(`<Iva xsi:nil="1" href="#a"/>`):                                                                     {"shape.kind " + at + "/Iva"},
		invoice(`<Iva xsi:nil="1" xsi:null="0"/>`):                                                                  {"shape.kind " + at + "/Iva"},
		invoice(`<Iva xsi:nil="0" xsi:null=" 0 "><AlicIva/></Iva>`):                                                 {},
		invoice(`<Iva xsi:null="1"><AlicIva/></Iva>`):                                                               {"shape.kind " + at + "/Iva"},
		invoice(`<Iva id="a"/><Opcionales ref="b"/>`):                                                               {"shape.kind " + at + "/Opcionales"},
		invoice(`<Iva/><Iva/>`):                                                                                     {"shape.duplicate " + at + "/Iva"},
		invoice(`<Iva><AlicIva/><AlicIva xsi:nil="1"/></Iva>`):                                                      {"shape.kind " + at + "/Iva/AlicIva/1"},
		invoice(`<Iva><AlicIva id="ref1"/><AlicIva href="#ref1"/></Iva>`):                                           {},
		invoice(`<Iva><AlicIva href="#ref1"/><AlicIva id="ref1"/></Iva>`):                                           {"shape.kind " + at + "/Iva/AlicIva/0"},
		invoice(`<Iva><AlicIva id="ref1"/><AlicIva href="ref1"/></Iva>`):                                            {"shape.kind " + at + "/Iva/AlicIva/1"},
		invoice(`<Iva><AlicIva id="a"/><AlicIva id='a'/><AlicIva href="#a"/></Iva>`):                                {"shape.kind " + at + "/Iva/AlicIva/2"},
		invoice(`<Iva><AlicIva id="a"/><AlicIva href="#a"><Id>5</Id></AlicIva></Iva>`):                              {"shape.kind " + at + "/Iva/AlicIva/1"},
		invoice(`<Iva id="a"><AlicIva/></Iva><Tributos href="#a"/>`):                                                {"shape.kind " + at + "/Tributos"},
		invoice(`<Iva><AlicIva><Id id="a">5</Id></AlicIva><AlicIva><Id href="#a"/></AlicIva></Iva>`):                {"shape.kind " + at + "/Iva/AlicIva/1/Id"},
		invoice(`<Iva ` + enc + `><AlicIva e:id="a"/><AlicIva e:ref="#a"/><AlicIva e:ref="a"/></Iva>`):              {},
		invoice(`<Iva ` + enc + `><AlicIva e:ref="#a"/><AlicIva e:id="a"/></Iva>`):                                  {"shape.kind " + at + "/Iva/AlicIva/0"},
		invoice(`<Iva ` + enc + `><AlicIva e:id="a"/><AlicIva e:ref="b"/></Iva>`):                                   {"shape.kind " + at + "/Iva/AlicIva/1"},
		invoice(`<Iva ` + enc + `><AlicIva e:id="a"/><AlicIva e:ref="#a"><Id>5</Id></AlicIva></Iva>`):               {"shape.kind " + at + "/Iva/AlicIva/1"},
		invoice(`<Iva ` + enc + `><AlicIva><Id e:id="a">5</Id></AlicIva><AlicIva><Id e:ref="#a"/></AlicIva></Iva>`): {"shape.kind " + at + "/Iva/AlicIva/1/Id"},
		invoice(`<Iva><AlicIva><Id>x</Id></AlicIva></Iva>`):                                                         {"shape.kind " + at + "/Iva/AlicIva/0/Id"},
		auth + auth:          {"shape.duplicate /Auth", "shape.missing /FeCAEReq"},
		auth:                 {"shape.missing /FeCAEReq"},
		auth + `<FeCAEReq/>`: {"shape.missing /FeCAEReq/FeCabReq", "shape.missing /FeCAEReq/FeDetReq"},
		auth + `<FeCAEReq><FeCabReq/><FeDetReq xsi:nil="true"/></FeCAEReq>`: {"shape.missing /FeCAEReq/FeDetReq"},
		`<auth/>`: {"shape.missing /Auth", "shape.missing /FeCAEReq"},
		auth + `</FECAESolicitar><FECAESolicitar xmlns="` + soap.Namespace + `">`: {"shape.missing /FeCAEReq", "shape.trailing"},
		auth + `<FeCAEReq>`: {"shape.syntax /FeCAEReq"},
	} {
		req := read(t, request("FECAESolicitar", content))
		if got := brief(req.Findings); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", content, got, want)
		}
	}
}

func TestAFindingHasItsPathAndItsPosition(t *testing.T) {
	body := request("FECAESolicitar", auth+"<FeCAEReq><FeCabReq/><FeDetReq><FECAEDetRequest/>\n<FECAEDetRequest>ñ<DocTipo>x</DocTipo><DocNro/></FECAEDetRequest></FeDetReq></FeCAEReq>")
	found := read(t, body).Findings
	if len(found) != 2 {
		t.Fatal(brief(found))
	}
	const path = "/Envelope/Body/FECAESolicitar/FeCAEReq/FeDetReq/FECAEDetRequest[2]"
	for i, want := range []soap.Finding{
		{Path: path + "/DocTipo", Line: 2, Column: 29, Expected: "un número entero", Got: "un texto"},
		{Path: path + "/DocNro", Line: 2, Column: 48, Expected: "un número entero", Got: "un texto vacío"},
	} {
		got := found[i]
		if got.Path != want.Path || got.Line != want.Line || got.Column != want.Column || got.Expected != want.Expected || got.Got != want.Got {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestWhatIsLeftOutIsRemembered(t *testing.T) {
	req := read(t, request("FECAESolicitar", auth+`<FeCAEReq><FeCabReq><CantReg>1</CantReg><PtoVta>1</PtoVta></FeCabReq>`+
		`<FeDetReq><FECAEDetRequest/><FECAEDetRequest><Iva><AlicIva/><AlicIva><BaseImp>1</BaseImp></AlicIva></Iva></FECAEDetRequest></FeDetReq></FeCAEReq>`))
	var got []string
	for _, a := range req.Absent {
		for i, m := range a.Shape.Members {
			if a.Members&(1<<i) != 0 && (m.Name == "CbteTipo" || m.Name == "Id" || m.Name == "BaseImp" || m.Name == "DocNro") {
				got = append(got, fmt.Sprintf("%s%d%d", m.Name, a.Items[0], a.Items[1]))
			}
		}
	}
	if want := []string{"CbteTipo00", "DocNro00", "Id10", "BaseImp10", "Id11", "DocNro10"}; !slices.Equal(got, want) || len(req.Findings) > 0 {
		t.Errorf("%v, want %v; %v", got, want, brief(req.Findings))
	}
}

func TestARequestWithoutItsContainersHasTheErrorOfTheService(t *testing.T) {
	for content, want := range map[string]string{
		``:                            "Campo Auth no fue ingresado o esta mal formado.",
		`<Auth xmlns=""/><FeCAEReq/>`: "Campo Auth no fue ingresado o esta mal formado.",
		auth:                          "Tag <FeCAEReq> no fue ingresado",
		auth + `<FeCAEReq><FeCabReq/></FeCAEReq>`: "Tag <FeDetReq> no fue ingresado",
	} {
		failure, ok := read(t, request("FECAESolicitar", content)).ServiceError()
		if !ok || failure.Code != 500 || failure.Msg != want {
			t.Errorf("%s: %+v, %v", content, failure, ok)
		}
	}
	for _, content := range []string{auth + `<FeCAEReq><FeCabReq><PtoVta>x</PtoVta></FeCabReq></FeCAEReq>`, auth + `<FeCAEReq><FeCabReq/><FeDetReq/></FeCAEReq>`} {
		if failure, ok := read(t, request("FECAESolicitar", content)).ServiceError(); ok {
			t.Errorf("%s: %+v", content, failure)
		}
	}
}

func TestAmountsThatDoNotFitAreNoted(t *testing.T) {
	req := read(t, request("FECAESolicitar", auth+`<FeCAEReq><FeCabReq/><FeDetReq><FECAEDetRequest><ImpTotal>1.005</ImpTotal><ImpNeto>1.50E0</ImpNeto></FECAEDetRequest></FeDetReq></FeCAEReq>`))
	if want := []string{"/FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal"}; !slices.Equal(req.Overlong, want) {
		t.Errorf("%v, want %v", req.Overlong, want)
	}
}

// TestTextBetweenElementsIsIgnoredAndSaid, as the service ignores it.
func TestTextBetweenElementsIsIgnoredAndSaid(t *testing.T) {
	req := read(t, lots(`x<FECAEDetRequest><Iva>y<AlicIva/>z</Iva></FECAEDetRequest>`))
	if len(req.Findings) > 0 || req.Ambiguous != soap.ConstructTextBetween {
		t.Errorf("%v, %v", brief(req.Findings), req.Ambiguous)
	}
	const at = "/FeCAEReq/FeDetReq"
	if got, want := brief(req.Ignored), []string{"shape.kind " + at, "shape.kind " + at + "/FECAEDetRequest/0/Iva"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestEverySpellingOfNullIsNull that .NET reads, for each object and text of an invoice.
func TestEverySpellingOfNullIsNull(t *testing.T) {
	members := soap.Members(operation(t, "FECAESolicitar"), false)[1].Shape.Members[1].Shape.Members[0].Shape.Item.Members
	for _, space := range []string{"http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/2000/10/XMLSchema-instance", "http://www.w3.org/1999/XMLSchema-instance"} {
		for _, form := range []string{`n:nil="true"`, `n:nil="1"`, `n:null="true"`, `n:null="1"`, "n:null='\n 1'"} {
			for _, m := range members {
				if m.Shape.Kind != wsfev1.KindObject && m.Shape.Kind != wsfev1.KindText {
					continue
				}
				req := read(t, lots(`<FECAEDetRequest><`+m.Name+` `+form+` xmlns:n="`+space+`"/></FECAEDetRequest>`))
				invoice := req.Body.(*wsfev1.FECAESolicitarRequest).FeCAEReq.FeDetReq.FECAEDetRequest[0]
				if len(req.Findings) > 0 || req.Ambiguous&soap.ConstructNull == 0 || !reflect.ValueOf(invoice).FieldByIndex(m.Index).IsZero() {
					t.Errorf("%s %s of %s: %v, %v", m.Name, form, space, brief(req.Findings), req.Ambiguous)
				}
			}
		}
	}
}

// TestAnElementThatIsNotSeenHasNoMembers: the action names the operation, and nothing of the element
// is read, as there.
func TestAnElementThatIsNotSeenHasNoMembers(t *testing.T) {
	for _, space := range []string{"", "urn:x", "http://ar.gov.afip.dif.fev1/"} {
		for _, op := range wsfev1.Operations {
			body := []byte(`<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><` + op.Name + ` xmlns="` + space + `">` +
				`<Auth xmlns="` + soap.Namespace + `"><Cuit>1</Cuit></Auth></` + op.Name + `></s:Body></s:Envelope>`)
			e, err := soap.Open(body, "")
			if err != nil {
				t.Fatal(err)
			}
			if routed, err := e.Route(soap.ActionPrefix + op.Name); err != nil || routed != op {
				t.Fatalf("%v, %v", routed, err)
			}
			req := e.Decode(op)
			if !reflect.DeepEqual(req.Body, op.NewRequest()) || req.Ambiguous != soap.ConstructUnseen || req.End == 0 {
				t.Errorf("%s of %q: %+v, %v", op.Name, space, req.Body, req.Ambiguous)
			}
			if failure, ok := req.ServiceError(); len(op.Request.Members) > 0 && (!ok || failure.Msg != "Campo Auth no fue ingresado o esta mal formado.") {
				t.Errorf("%s of %q: %+v", op.Name, space, failure)
			}
		}
	}
}
