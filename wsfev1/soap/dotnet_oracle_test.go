package soap_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
	"github.com/fielato/fielato/wsfev1/soap/wsdl"
)

// oracle is a program on Mono that reads requests with the classes that Mono's wsdl has made from our
// description of the service.
type oracle struct {
	in     io.Writer
	out    *bufio.Reader
	line   []byte
	stderr bytes.Buffer
}

// startOracle builds the program and starts it. Without Mono the test ends; with CI set it has failed.
func startOracle(t *testing.T) *oracle {
	t.Helper()
	for _, program := range []string{"wsdl", "mcs", "mono"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skipf("%v: it comes with Debian's package mono-devel", err)
		}
	}
	folder := t.TempDir()
	source, err := filepath.Abs(filepath.Join("testdata", "mono", "oracle.cs"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "service.wsdl"), wsdl.Describe("http://localhost/wsfev1/service.asmx"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"wsdl", "/nologo", "/n:Ar", "/out:classes.cs", "service.wsdl"},
		{"mcs", "-nologo", "-nowarn:1591", "-r:System.Web.Services", "-r:System.Xml", "-out:oracle.exe", "classes.cs", source},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	o := new(oracle)
	cmd := exec.Command("mono", filepath.Join(folder, "oracle.exe"))
	cmd.Stderr = &o.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o.in, o.out = in, bufio.NewReaderSize(out, 1<<20)
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, &o.stderr)
		}
	})
	return o
}

// canonical writes what a request means as the oracle does.
func canonical(req *soap.Request) string {
	var b strings.Builder
	writeMembers(&b, req.Operation.Request, reflect.ValueOf(req.Body).Elem())
	return b.String()
}

func writeMembers(b *strings.Builder, shape *wsfev1.Shape, v reflect.Value) {
	order := make([]*wsfev1.Member, len(shape.Members))
	for i := range shape.Members {
		order[i] = &shape.Members[i]
	}
	slices.SortFunc(order, func(a, b *wsfev1.Member) int { return strings.Compare(a.Name, b.Name) })
	for _, m := range order {
		field := v.FieldByIndex(m.Index)
		switch {
		case m.Pointer && field.IsNil(), m.Shape.Kind == wsfev1.KindText && field.Len() == 0,
			m.Shape.Kind == wsfev1.KindAmount && soap.Optional(shape, m) && !field.Interface().(wsfev1.Amount).Sent():
			continue
		case m.Pointer:
			field = field.Elem()
		}
		b.WriteString(m.Name + "=")
		writeValue(b, m.Shape, field)
		b.WriteByte(';')
	}
}

func writeValue(b *strings.Builder, shape *wsfev1.Shape, v reflect.Value) {
	switch shape.Kind {
	case wsfev1.KindInteger:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case wsfev1.KindAmount:
		double, _ := strconv.ParseFloat(v.Interface().(wsfev1.Amount).String(), 64)
		if double == 0 {
			double = 0 // without its sign
		}
		fmt.Fprintf(b, "%016x", math.Float64bits(double))
	case wsfev1.KindText:
		b.WriteByte('"')
		for _, c := range utf16.Encode([]rune(v.String())) {
			if c < ' ' || c > '~' || c == '"' || c == '\\' {
				fmt.Fprintf(b, `\u%04x`, c)
			} else {
				b.WriteByte(byte(c))
			}
		}
		b.WriteByte('"')
	case wsfev1.KindObject:
		if len(shape.Members) == 1 && shape.Members[0].Shape.Kind == wsfev1.KindList { // an array there
			writeItems(b, shape.Members[0].Shape, v.FieldByIndex(shape.Members[0].Index))
			return
		}
		b.WriteByte('{')
		writeMembers(b, shape, v)
		b.WriteByte('}')
	}
}

func writeItems(b *strings.Builder, shape *wsfev1.Shape, v reflect.Value) {
	b.WriteByte('[')
	for i := range v.Len() {
		writeValue(b, shape.Item, v.Index(i))
	}
	b.WriteByte(']')
}
