package wsfev1

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/hostile"
)

// TestNothingThatIsExportedPanics whatever it is given. MustAmount is the exception: its name
// says so. The encoders, decoders and printers that Go's own interfaces hand over are real.
func TestNothingThatIsExportedPanics(t *testing.T) {
	caller := &hostile.Caller{Only: map[reflect.Type][]any{
		reflect.TypeFor[*jsontext.Encoder](): {jsontext.NewEncoder(io.Discard)},
		reflect.TypeFor[*jsontext.Decoder](): {jsontext.NewDecoder(bytes.NewReader(nil))},
		reflect.TypeFor[fmt.State]():         {printer{io.Discard}},
		reflect.TypeFor[fs.FS]():             {fs.FS(nil), fstest.MapFS{}, fstest.MapFS{"unknown": &fstest.MapFile{}}, fstest.MapFS{"unknown": &fstest.MapFile{Data: []byte("a\n1\n")}}},
		reflect.TypeFor[reflect.Type]():      typesWithoutForm(),
		reflect.TypeFor[Amount]():            {Amount{}, MustAmount("1e400"), MustAmount("-9999999999999999999"), MustAmount("0.0000000000000000001")},
	}}
	for _, op := range Operations {
		caller.Extra = append(caller.Extra, reflect.Zero(reflect.TypeOf(op.NewRequest())).Interface(), op.NewRequest(),
			reflect.Zero(reflect.TypeOf(op.NewAnswer())).Interface(), op.NewAnswer())
	}
	called := []string{"MustAmount"}
	for name, function := range map[string]any{
		"AdmitsCondicionIVAReceptor": AdmitsCondicionIVAReceptor, "AssociatesAny": AssociatesAny, "AssociatesAnyInCAEA": AssociatesAnyInCAEA,
		"IsAuthorization": IsAuthorization, "IsCondicionIVAReceptor": IsCondicionIVAReceptor, "IsCreditNote": IsCreditNote, "IsDocTipo": IsDocTipo,
		"IsFCE": IsFCE, "IsInformable": IsInformable, "IsMoneda": IsMoneda, "IsNote": IsNote, "IsOpcional": IsOpcional,
		"IsOrden": IsOrden, "IsPais": IsPais, "IsPeriodo": IsPeriodo, "IsRemito": IsRemito, "IsTributo": IsTributo,
		"MayAssociate": MayAssociate, "MayAssociateInCAEA": MayAssociateInCAEA, "MayCarryOpcionales": MayCarryOpcionales,
		"MayCarryOpcionalesInCAEA": MayCarryOpcionalesInCAEA, "ReadTable": ReadTable[string], "VoucherTypes": VoucherTypes,
		"AmountFromJSON": AmountFromJSON, "AmountOf": AmountOf, "IvaRate": IvaRate, "ParseAmount": ParseAmount, "ParseCUIT": ParseCUIT,
		"AuthOf": AuthOf, "ClassOf": ClassOf, "DateOf": DateOf, "AnswerTo": AnswerTo, "FortnightOf": FortnightOf,
		"LotOf": LotOf, "OperationByName": OperationByName, "ShapeOf": ShapeOf, "SubjectOf": SubjectOf, "Tables": Tables,
		"TimestampOf": TimestampOf, "VerdictOf": VerdictOf, "WithAuth": WithAuth,
	} {
		caller.Function(t, name, function)
		called = append(called, name)
	}
	caller.Function(t, "ReadTable", func(files fs.FS, name string) {
		_, _ = ReadTable(files, name, func(c *Columns) string { return c.Text(-1) + fmt.Sprint(c.Number(9, 99), c.Amount(9)) })
	})
	for _, receiver := range hostileReceivers() {
		called = append(called, caller.Methods(t, receiver)...)
	}
	hostile.Missing(t, called)
}

func hostileReceivers() []any {
	return []any{
		Kind(255), Effect(255), Date(""), Date("99991231"), Date("00000101"), Timestamp(""), CUIT(-1), Secret(""),
		Fortnight{},
		Amount{},
		new(Amount), (*Amount)(nil), MustAmount("1e400"), MustAmount("-9999999999999999999"),
		&Operation{}, (*Operation)(nil), &Lot{}, (*Lot)(nil), LotOf(new(FECAESolicitarRequest)), LotOf(new(FECAEARegInformativoRequest)),
		&Envelope{}, (*Envelope)(nil), &DetResponse{}, (*DetResponse)(nil), &ErrorBody{}, (*ErrorBody)(nil),
		&Shape{}, (*Shape)(nil), &Columns{}, (*Columns)(nil),
	}
}

// typesWithoutForm are types that the interface cannot hold, and one that it can.
func typesWithoutForm() []any {
	return []any{
		reflect.Type(nil), reflect.TypeFor[func()](), reflect.TypeFor[map[string]int](), reflect.TypeFor[[]float64](),
		reflect.TypeFor[struct{ A chan int }](), reflect.TypeFor[struct {
			A string `wsfev1:"unknown"`
		}](), reflect.TypeFor[struct {
			A string `wsfev1:"items=1"`
		}](), reflect.TypeFor[struct {
			A Amount `wsfev1:"digits=x"`
		}](), reflect.TypeFor[FEDummyRequest](),
	}
}

// printer is a fmt.State.
type printer struct{ io.Writer }

func (printer) Width() (int, bool)     { return 0, false }
func (printer) Precision() (int, bool) { return 0, false }
func (printer) Flag(int) bool          { return false }
