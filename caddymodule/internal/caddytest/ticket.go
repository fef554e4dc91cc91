package caddytest

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// RequestMembers are the members after Auth of a request of right shape.
func RequestMembers(operation string) string {
	switch operation {
	case "FECAESolicitar":
		return strings.TrimSuffix(strings.TrimPrefix(Invoice(1), "{"+AuthText), "}")
	case "FECAEARegInformativo":
		return `,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,"PtoVta":3,"CbteTipo":6},"FeDetReq":{"FECAEADetRequest":[{"CAEA":"41264700000001"}]}}`
	case "FECompConsultar":
		return `,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}`
	case "FECompUltimoAutorizado":
		return `,"PtoVta":1,"CbteTipo":6`
	case "FECAEASolicitar", "FECAEAConsultar":
		return "," + OpenFortnight()
	case "FECAEASinMovimientoInformar", "FECAEASinMovimientoConsultar":
		return `,"PtoVta":3,"CAEA":"41264700000001"`
	case "FEParamGetCotizacion":
		return `,"MonId":"DOL"`
	}
	return ""
}

// SSOTicket writes a WSAA ticket that ends at a time, for a service and an issuer.
func SSOTicket(service string, expires time.Time, cuit int64) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><sso version="2.0">`+
		`<id src="CN=wsaahomo, O=AFIP, C=AR" dst="CN=wsfe, O=AFIP, C=AR" unique_id="1" gen_time="%d" exp_time="%d"/>`+
		`<operation type="login" value="granted"><login entity="33693450239" service="%s" uid="u" authmethod="cms" regmethod="22">`+
		`<relations><relation key="%d" reltype="4"/></relations></login></operation></sso>`,
		expires.Add(-12*time.Hour).Unix(), expires.Unix(), service, cuit)
}

// WithTicket puts a ticket into a request of the tests.
func WithTicket(body, document, signature string) string {
	encoded := base64.StdEncoding.EncodeToString([]byte(document))
	return strings.NewReplacer(Token, encoded, Sign, signature).Replace(body)
}
