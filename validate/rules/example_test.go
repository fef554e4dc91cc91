package rules_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// A class B invoice whose total is one peso too high.
const invoice = `{
	"Auth": {"Token": "token", "Sign": "sign", "Cuit": 20267565393},
	"FeCAEReq": {
		"FeCabReq": {"CantReg": 1, "PtoVta": 1, "CbteTipo": 6},
		"FeDetReq": {"FECAEDetRequest": [{
			"Concepto": 1, "DocTipo": 99, "DocNro": 0, "CbteDesde": 42, "CbteHasta": 42, "CbteFch": "20261120",
			"ImpTotal": 122.00, "ImpTotConc": 0, "ImpNeto": 100.00, "ImpOpEx": 0, "ImpTrib": 0, "ImpIVA": 21.00,
			"MonId": "PES", "MonCotiz": 1, "CondicionIVAReceptorId": 5,
			"Iva": {"AlicIva": [{"Id": 5, "BaseImp": 100.00, "Importe": 21.00}]}
		}]}
	}
}`

func ExampleJudge() {
	verdict, err := rules.Judge("FECAESolicitar", []byte(invoice), rules.Options{
		Now: func() time.Time { return time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("refused:", verdict.Refused)
	for _, f := range verdict.Findings {
		fmt.Println(f.Code, f.Pointer, f.Explanation())
	}
	// Output:
	// refused: true
	// 10048 /FeCAEReq/FeDetReq/FECAEDetRequest/0/ImpTotal ImpTotal es 122,00, pero ImpNeto 100,00 + ImpIVA 21,00 suman 121,00; diferencia 1,00, tolerancia 0,0122
}

// The answer that a gateway would give has the operation's own shape.
func ExampleVerdict_Refusal() {
	verdict, err := rules.Judge("FECompUltimoAutorizado",
		[]byte(`{"Auth": {"Token": "token", "Sign": "sign", "Cuit": 20267565393}, "PtoVta": 0, "CbteTipo": 6}`), rules.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := json.Marshal(verdict.Refusal())
	fmt.Println(string(answer), err)
	// Output:
	// {"PtoVta":0,"CbteTipo":6,"CbteNro":0,"Errors":{"Err":[{"Code":11000,"Msg":"PtoVta debe estar entre 1 y 99998; se informó 0 (/PtoVta)"}]}} <nil>
}

// Settings set rules apart from their defaults.
func ExampleNewRules() {
	lenient, err := rules.NewRules(rules.Settings{Levels: map[int32]validate.Level{10048: validate.Observe}})
	if err != nil {
		fmt.Println(err)
		return
	}
	verdict, err := rules.Judge("FECAESolicitar", []byte(invoice), rules.Options{
		Rules: lenient,
		Now:   func() time.Time { return time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC) },
	})
	fmt.Println("refused:", verdict.Refused, "findings:", len(verdict.Findings), err)
	// Output:
	// refused: false findings: 1 <nil>
}

// The catalogue has what each rule rests on.
func ExampleRuleByCode() {
	rule, _ := rules.RuleByCode(10217)
	fmt.Println(rule.English)
	for _, s := range rule.Sources {
		fmt.Println(s.Basis, s.Exchanges, s.Text)
	}
	// Output:
	// The receiver is a monotributista, who may use the tax credit only in the transition regime.
	// manual 0 Manual del desarrollador WSFEv1 (RG 4291) v4.7, FECAESolicitar, controles de <FeDetReq>, no excluyentes (pág. 74-76), código 10217
	// observed 7 docs/sources.md#observed-codes
}
