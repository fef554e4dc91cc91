package canonical_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once/canonical"
	"github.com/fielato/fielato/wsfev1"
)

// TestTheFormsOfFingerprintsStay: trails hold fingerprints of them. To change a form, add a new
// one, and leave these as they are.
func TestTheFormsOfFingerprintsStay(t *testing.T) {
	const invoice = `{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEDetRequest":[{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"ImpTotal":121.00,"ImpNeto":1e2,` +
		`"ImpIVA":21.000,"MonId":"PES","CondicionIVAReceptorId":5,"CbtesAsoc":{"CbteAsoc":[]},` +
		`"Tributos":{"Tributo":[{"Id":99,"Desc":"\"ñ\" <&>","Alic":1234567890123456789012.5}]}}]}}}`
	for text, want := range map[string][2]string{
		invoice: {
			`{"Auth":{"Token":"","Sign":"","Cuit":0},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[` +
				`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"","ImpTotal":121,"ImpNeto":100,"ImpIVA":21,` +
				`"FchServDesde":"","FchServHasta":"","FchVtoPago":"","MonId":"PES","CondicionIVAReceptorId":5,"CbtesAsoc":{"CbteAsoc":[]},` +
				`"Tributos":{"Tributo":[{"Id":99,"Desc":"\"ñ\" <&>","Alic":1234567890123456789012.5}]}}]}}}`,
			`{FeCAEReq:{FeCabReq:{CantReg:1,PtoVta:1,CbteTipo:6,}FeDetReq:{FECAEDetRequest:[{Concepto:1,DocTipo:99,CbteDesde:1,CbteHasta:1,` +
				`ImpTotal:121,ImpNeto:100,ImpIVA:21,MonId:3"PES,CondicionIVAReceptorId:5,CbtesAsoc:{}` +
				`Tributos:{Tributo:[{Id:99,Desc:8"` + `"ñ" <&>` + `,Alic:1234567890123456789012.5,}]}}]}}}`,
		},
	} {
		body := new(wsfev1.FECAESolicitarRequest)
		if err := json.Unmarshal([]byte(text), body); err != nil {
			t.Fatal(err)
		}
		older := canonical.Forms{Oldest: 1, Newest: 2}.AppendOlder(nil, body)
		if len(older) != 1 || string(older[0]) != want[0] {
			t.Errorf("form 1:\n%s\nwant\n%s", older, want[0])
		}
		if now := string(canonical.Append(nil, body)); now != want[1] {
			t.Errorf("form 2:\n%s\nwant\n%s", now, want[1])
		}
	}
}

// TestAnEmptyStoreHasNoOlderForms, when it is opened again too; one whose records came before there was a note may have
// them, and so may one that these are copied to.
func TestAnEmptyStoreHasNoOlderForms(t *testing.T) {
	store, older := audittest.NewMemory(), audittest.NewMemory()
	for range 2 {
		if forms, err := canonical.KeepForms(t.Context(), store); err != nil || forms.HasOlder() || forms.String() != "2-2" {
			t.Errorf("%v, %v", forms, err)
		}
	}
	audittest.Append(t, older, "edge-1", audittest.NewSource(1).Issue(1))
	if err := canonical.CopyForms(t.Context(), older, store); err != nil {
		t.Fatal(err)
	}
	if forms, err := canonical.KeepForms(t.Context(), store); err != nil || !forms.HasOlder() || forms.String() != "1-2" {
		t.Errorf("%v, %v", forms, err)
	}
}
