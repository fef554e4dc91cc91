package gateway_test

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1/soap"
)

// messagesWithCredentials are requests in SOAP with $T for a Token and $S for a Sign, right ones
// and all kinds of wrong ones. They are brothers of caddytest.RequestsWithCredentials.
func messagesWithCredentials(s *caddytest.Site, version soap.Version) map[string]string {
	s.T.Helper()
	right := strings.NewReplacer(caddytest.Token, "$T", caddytest.Sign, "$S").Replace(s.Message(version, "FECAESolicitar", caddytest.Invoice(1)))
	const token, auth = "<Token>$T</Token>", "<Auth><Token>$T</Token><Sign>$S</Sign><Cuit>20111111112</Cuit></Auth>"
	with := func(old, better string) string { return strings.Replace(right, old, better, 1) }
	beforeSign, _, _ := strings.Cut(right, "</Sign>")
	return map[string]string{
		"right":                      right,
		"a prefix":                   with(auth, `<q:Auth xmlns:q="`+soap.Namespace+`"><q:Token>$T</q:Token><q:Sign>$S</q:Sign><q:Cuit>20111111112</q:Cuit></q:Auth>`),
		"white space":                with(token, "<Token \n>\r\n\t $T \n</Token\t>"),
		"CDATA":                      with(token, "<Token><![CDATA[$T]]></Token>"),
		"comments":                   with(token, "<Token><!-- $S -->$T<!-- $T --></Token>"),
		"an instruction":             with(token, "<?x $T?>"+token),
		"no namespace":               with("<Auth>", `<Auth xmlns="">`),
		"another namespace":          with("<Auth>", `<Auth xmlns="urn:x">`),
		"elements in Token":          with(token, "<Token><a>$T</a><b c='$S'>$S</b></Token>"),
		"wrong case":                 strings.NewReplacer("Token>", "TOKEN>", "Sign>", "sign>").Replace(right),
		"wrong case of Auth":         strings.ReplaceAll(right, "Auth>", "auth>"),
		"unknown elements of Auth":   with(token, "<Tokn>$T</Tokn><More><Deep>$S</Deep></More>"),
		"without Auth":               with(auth, token+"<Sign>$S</Sign>"),
		"Auth is a text":             with(auth, "<Auth>$T$S</Auth>"),
		"text beside elements":       with("<Auth>", "<Auth>$T"),
		"text in the Body":           with("<soap:Body>", "<soap:Body>$T"),
		"twice":                      with(token, token+token),
		"two Auth":                   with(auth, auth+auth),
		"unknown elements":           with(auth, auth+"<Ticket>$T</Ticket><Deep><X>a $S z</X></Deep>"),
		"under other names":          with(auth, "<auth_token>$T</auth_token><Firma><valor>$S</valor></Firma>"),
		"Cuit is the Token":          with("20111111112", "$T"),
		"an attribute":               with("<Auth>", `<Auth Token="$T" Sign="$S">`),
		"an attribute without Auth":  with(auth, `<Auth Token="$T" Sign="$S"/>`),
		"href":                       with("<Auth>", `<Auth href="#$T">`),
		"id":                         with("<Auth>", `<Auth id="$T">`),
		"a namespace":                with("<Auth>", `<Auth xmlns:x="$T">`),
		"a namespace without Auth":   with(auth, `<Auth xmlns="$T" xmlns:x='$S'/>`),
		"a place of a schema":        with(auth, `<Auth xsi:schemaLocation="$T $S"/>`),
		"names":                      with(auth, auth+"<n$T/>"),
		"in the Header":              with("<soap:Body>", "<soap:Header><Auth>"+token+"<Sign>$S</Sign></Auth></soap:Header><soap:Body>"),
		"in a Security header":       with("<soap:Body>", `<soap:Header><wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"><wsse:BinarySecurityToken>$T</wsse:BinarySecurityToken></wsse:Security></soap:Header><soap:Body>`),
		"in a Header alone":          with(auth, "") + "<!-- -->",
		"cut off":                    beforeSign,
		"cut off in a tag":           right[:strings.Index(right, "$T")+1] + "T",
		"not well-formed":            with("</Auth>", "</Aut>"),
		"an entity":                  with(token, "<Token>$T&x;</Token>"),
		"a document type":            `<!DOCTYPE a [<!ENTITY t "$T">]>` + strings.TrimPrefix(right, `<?xml version="1.0" encoding="utf-8"?>`),
		"more after the end":         right + "<Token>$T</Token>",
		"an encoding":                with("utf-8", "$T"),
		"not XML":                    "Token=$T&Sign=$S",
		"JSON":                       strings.NewReplacer(caddytest.Token, "$T", caddytest.Sign, "$S").Replace(caddytest.Invoice(1)),
		"another operation":          with("FECAESolicitar", "FECompUltimoAutorizado"),
		"no operation":               strings.ReplaceAll(right, "FECAESolicitar", "Solicitar"),
		"two operations":             with("</soap:Body>", `<FEDummy xmlns="`+soap.Namespace+`">`+auth+"</FEDummy></soap:Body>"),
		"no envelope":                auth,
		"another envelope":           strings.ReplaceAll(right, version.Namespace(), "urn:x"),
		"must be understood":         with("<soap:Body>", `<soap:Header><x soap:mustUnderstand="1">$T</x></soap:Header><soap:Body>`),
		"found by a rule":            with("121.00", "7.00"),
		"found by a rule, in others": strings.NewReplacer("121.00", "7.00", "<MonId>PES<", "<MonId>$T<").Replace(right),
		"in a number":                with("<PtoVta>1<", "<PtoVta>$T<"),
		"deep":                       with(auth, strings.Repeat("<a>", 70)+token+strings.Repeat("</a>", 70)),
		"xsi:nil":                    with("<Token>", `<Token xsi:nil="true">`),
	}
}

// spellings are ways to write a message, with its credentials put into it.
var spellings = map[string]func(m caddytest.Markers, message string) string{
	"as they are": caddytest.Markers.In,
	"references": func(m caddytest.Markers, message string) string {
		return caddytest.Markers{Token: references("&#x%x;", m.Token), Sign: references("&#%d;", m.Sign)}.In(message)
	},
	"sections": func(m caddytest.Markers, message string) string {
		return caddytest.Markers{Token: references("<![CDATA[%c]]>", m.Token), Sign: references("%c<!---->", m.Sign)}.In(message)
	},
	"ISO-8859-1": func(m caddytest.Markers, message string) string {
		return m.In(strings.Replace(message, "utf-8", "ISO-8859-1", 1))
	},
	"UTF-16": func(m caddytest.Markers, message string) string {
		var wide strings.Builder
		for _, unit := range utf16.Encode([]rune("\ufeff" + m.In(message))) {
			wide.Write([]byte{byte(unit), byte(unit >> 8)})
		}
		return wide.String()
	},
}

func references(form, text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, form, text[i])
	}
	return b.String()
}
