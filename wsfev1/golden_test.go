package wsfev1_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

var update = flag.Bool("update", false, "write the golden files anew")

// describe writes one line for each member of a shape, indented by its depth.
func describe(b *strings.Builder, shape *wsfev1.Shape, indent string) {
	for i := range shape.Members {
		m := &shape.Members[i]
		inner := m.Shape
		kind := inner.Kind.String()
		if inner.Kind == wsfev1.KindInteger {
			kind = fmt.Sprintf("%s %d bits", kind, inner.Bits)
		}
		fmt.Fprintf(b, "%s%s: %s%s\n", indent, m.Name, kind, flagsOf(m))
		if inner.Kind == wsfev1.KindList {
			inner = inner.Item
		}
		describe(b, inner, indent+"  ")
	}
}

func flagsOf(m *wsfev1.Member) string {
	var flags string
	for _, f := range []struct {
		set  bool
		text string
	}{
		{m.Required, ", required"},
		{m.Expected, ", expected"},
		{m.Secret, ", secret"},
		{m.Extension, ", extension"},
		{m.Pointer, ", pointer"},
	} {
		if f.set {
			flags += f.text
		}
	}
	if m.IntegerDigits+m.Decimals > 0 {
		flags += fmt.Sprintf(", %d+%d digits", m.IntegerDigits, m.Decimals)
	}
	if m.MaxItems > 0 {
		flags += fmt.Sprintf(", at most %d items", m.MaxItems)
	}
	return flags
}

// TestShapesAreAsReviewed holds every property of every member against the file
// that a person reads and approves; -update writes it anew.
func TestShapesAreAsReviewed(t *testing.T) {
	var b strings.Builder
	for _, op := range wsfev1.Operations {
		fmt.Fprintf(&b, "%s (%s, effect %s)\n", op.Name, op.Family, op.Effect)
		b.WriteString("  request\n")
		describe(&b, op.Request, "    ")
		b.WriteString("  answer\n")
		describe(&b, op.Answer, "    ")
	}
	path := filepath.Join("testdata", "shapes.golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("shapes differ from %s at line %d; look at the change and run with -update", path, i+1)
		}
	}
}

func TestTheWidthsThatTheDefinitionGives(t *testing.T) {
	// docs/sources.md#fields: long, int and short of the service's own definition.
	widths := map[string]int{
		"Auth.Cuit": 64, "DocNro": 64, "CbteDesde": 64, "CbteHasta": 64, "Concepto": 32, "DocTipo": 32,
		"Iva.AlicIva.Id": 32, "Tributos.Tributo.Id": 16, "Actividades.Actividad.Id": 64,
		"CbtesAsoc.CbteAsoc.Nro": 64, "CbtesAsoc.CbteAsoc.PtoVta": 32, "Compradores.Comprador.DocNro": 64,
	}
	op := wsfev1.OperationByName("FECAESolicitar")
	for path, bits := range widths {
		shape := op.Request
		if !strings.HasPrefix(path, "Auth.") {
			path = "FeCAEReq.FeDetReq.FECAEDetRequest." + path
		}
		for name := range strings.SplitSeq(path, ".") {
			if shape.Kind == wsfev1.KindList {
				shape = shape.Item
			}
			i, ok := shape.Member([]byte(name))
			if !ok {
				t.Fatalf("no member %s in %s", name, path)
			}
			shape = shape.Members[i].Shape
		}
		if shape.Kind != wsfev1.KindInteger || shape.Bits != bits {
			t.Errorf("%s is a %s of %d bits, want an integer of %d", path, shape.Kind, shape.Bits, bits)
		}
	}
}
