package caddytest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Expected is one member of a line of AnswerTable.
type Expected struct {
	Name     string
	optional bool
	// Kind is s, n, { or [.
	Kind  byte
	Inner []Expected
}

// ParseLine reads a line of AnswerTable up to its end or to a closing bracket,
// and returns what follows.
func ParseLine(t testing.TB, line string) (members []Expected, rest string) {
	t.Helper()
	for {
		line = strings.TrimLeft(line, " ")
		if line == "" || line[0] == '}' || line[0] == ']' {
			return members, line
		}
		end := strings.IndexAny(line, ":{[")
		if end < 0 {
			t.Fatalf("the table is wrong at %q", line)
		}
		m := Expected{Name: strings.TrimSuffix(line[:end], "?"), Kind: line[end]}
		m.optional = len(m.Name) < end
		line = line[end+1:]
		if m.Kind == ':' {
			m.Kind, line = line[0], line[1:]
		} else {
			m.Inner, line = ParseLine(t, line)
			line = line[1:]
		}
		members = append(members, m)
	}
}

// TableOf returns the members of the answer to an operation.
func TableOf(t testing.TB, operation string) []Expected {
	t.Helper()
	line, known := AnswerTable[operation]
	if !known {
		t.Fatalf("the table has no line for %s", operation)
	}
	members, _ := ParseLine(t, line)
	return members
}

// CheckAnswer holds every member of an answer against the operation's line.
func CheckAnswer(t testing.TB, operation string, body []byte) {
	t.Helper()
	checkObject(t, operation, body, TableOf(t, operation))
}

func checkObject(t testing.TB, path string, value jsontext.Value, members []Expected) {
	t.Helper()
	var object map[string]jsontext.Value
	if err := json.Unmarshal(value, &object); err != nil {
		t.Errorf("%s: not an object: %s", path, value)
		return
	}
	for _, m := range members {
		got, there := object[m.Name]
		delete(object, m.Name)
		switch {
		case there:
			checkMember(t, path+"/"+m.Name, got, m)
		case !m.optional:
			t.Errorf("%s/%s is missing", path, m.Name)
		}
	}
	for name := range object {
		t.Errorf("%s/%s is not in the contract", path, name)
	}
}

func checkMember(t testing.TB, path string, value jsontext.Value, m Expected) {
	t.Helper()
	if want := map[byte]jsontext.Kind{'s': '"', 'n': '0', '{': '{', '[': '['}[m.Kind]; value.Kind() != want {
		t.Errorf("%s: kind %v, want %v", path, value.Kind(), want)
		return
	}
	switch m.Kind {
	case '{':
		checkObject(t, path, value, m.Inner)
	case '[':
		var items []jsontext.Value
		if err := json.Unmarshal(value, &items); err != nil {
			t.Fatal(err)
		}
		if len(items) == 0 {
			t.Errorf("%s is empty", path)
		}
		for i, item := range items {
			checkObject(t, fmt.Sprintf("%s/%d", path, i), item, m.Inner)
		}
	}
}

// The answers of the operations, written out from the contract (docs/sources.md#contract) by hand
// and not from the types: s is a string, n a number, {} an object, [] an array of
// objects. A question mark is on what need not be there: the contract leaves it
// open, and the service leaves it out where there is nothing to say.
const (
	envelopeOf = ` Errors?{Err[Code:n Msg:s]} Events?{Evt[Code:n Msg:s]}`

	observationsOf = `Observaciones?{Obs[Code:n Msg:s]}`

	headerOf = `FeCabResp{Cuit:n PtoVta:n CbteTipo:n FchProceso:s CantReg:n Resultado:s Reproceso:s}`

	detailOf = `Concepto:n DocTipo:n DocNro:n CbteDesde:n CbteHasta:n CbteFch:s Resultado:s ` + observationsOf

	invoiceMembers = `Concepto:n DocTipo:n DocNro:n CbteDesde:n CbteHasta:n CbteFch:s` +
		` ImpTotal:n ImpTotConc:n ImpNeto:n ImpOpEx:n ImpTrib:n ImpIVA:n` +
		` FchServDesde:s FchServHasta:s FchVtoPago:s MonId:s MonCotiz:n` +
		` CbtesAsoc?{CbteAsoc[Tipo:n PtoVta:n Nro:n Cuit?:s CbteFch?:s]}` +
		` Tributos?{Tributo[Id:n Desc:s BaseImp:n Alic:n Importe:n]}` +
		` Iva?{AlicIva[Id:n BaseImp:n Importe:n]}` +
		` Opcionales?{Opcional[Id:s Valor:s]}` +
		` Compradores?{Comprador[DocTipo:n DocNro:n Porcentaje:n]}` +
		` PeriodoAsoc?{FchDesde:s FchHasta:s}` +
		` Actividades?{Actividad[Id:n]}` +
		// Beyond the twenty: the live service's own (contract arca).
		` CanMisMonExt?:s CondicionIVAReceptorId?:n`

	// A rejection may have the numbers alone.
	advanceOf = `{CAEA?:s Periodo:n Orden:n FchVigDesde?:s FchVigHasta?:s FchTopeInf?:s FchProceso?:s ` + observationsOf + `}`

	numericRow = `Id:n Desc:s FchDesde:s FchHasta:s`
	textualRow = `Id:s Desc:s FchDesde:s FchHasta:s`
)

// AnswerTable is one line for each operation: the twenty, then the extensions.
var AnswerTable = map[string]string{
	"FECAESolicitar":               headerOf + ` FeDetResp?{FECAEDetResponse[` + detailOf + ` CAE:s CAEFchVto:s]}` + envelopeOf,
	"FECAEARegInformativo":         headerOf + ` FeDetResp?{FECAEADetResponse[` + detailOf + ` CAEA:s]}` + envelopeOf,
	"FECompConsultar":              `ResultGet?{` + invoiceMembers + ` Resultado:s CodAutorizacion:s EmisionTipo:s FchVto:s FchProceso:s ` + observationsOf + ` PtoVta:n CbteTipo:n}` + envelopeOf,
	"FECompUltimoAutorizado":       `PtoVta:n CbteTipo:n CbteNro:n` + envelopeOf,
	"FECompTotXRequest":            `RegXReq:n` + envelopeOf,
	"FECAEASolicitar":              `ResultGet?` + advanceOf + envelopeOf,
	"FECAEASinMovimientoConsultar": `ResultGet?{FECAEASinMov[CAEA:s FchProceso:s PtoVta:n]}` + envelopeOf,
	"FECAEASinMovimientoInformar":  `CAEA:s FchProceso:s PtoVta:n Resultado:s` + envelopeOf,
	"FEParamGetCotizacion":         `ResultGet?{MonId:s MonCotiz:n FchCotiz:s}` + envelopeOf,
	"FEParamGetTiposOpcional":      `ResultGet{OpcionalTipo[` + textualRow + `]}` + envelopeOf,
	"FEParamGetTiposConcepto":      `ResultGet{ConceptoTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetTiposTributos":      `ResultGet{TributoTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetTiposMonedas":       `ResultGet{Moneda[` + textualRow + `]}` + envelopeOf,
	"FEParamGetPtosVenta":          `ResultGet{PtoVenta[Nro:n EmisionTipo:s Bloqueado:s FchBaja:s]}` + envelopeOf,
	"FEParamGetTiposCbte":          `ResultGet{CbteTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetTiposIva":           `ResultGet{IvaTipo[` + textualRow + `]}` + envelopeOf,
	"FEParamGetTiposDoc":           `ResultGet{DocTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetActividades":        `ResultGet{ActividadesTipo[Id:n Orden:n Desc:s]}` + envelopeOf,
	"FEParamGetTiposPaises":        `ResultGet{PaisTipo[Id:n Desc:s]}` + envelopeOf,
	"FEDummy":                      `AppServer:s DbServer:s AuthServer:s`,

	"FECAEAConsultar":                `ResultGet` + advanceOf + envelopeOf,
	"FEParamGetCondicionIvaReceptor": `ResultGet{CondicionIvaReceptor[Id:n Desc:s Cmp_Clase:s]}` + envelopeOf,
}
