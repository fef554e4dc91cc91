package compare

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// Difference is a member whose sent value differs from the service's.
type Difference struct {
	// Field is the path of the member within the invoice, or of the list in which an item
	// has no equal.
	Field      string
	Sent, Kept string
}

var dateType = reflect.TypeFor[wsfev1.Date]()

// keptShape is the shape of the invoice as the service gives it back.
var keptShape = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.FECompConsResult]())

// Invoice returns the differences between the i-th invoice of a lot and the one that the service has under its number. It
// walks over all members of the sent one; echoes defines how the service returns each. issuer is the CUIT that sent it.
// Members with a redacted name are not compared, as their sent value cannot be had.
func Invoice(lot *wsfev1.Lot, i int, issuer wsfev1.CUIT, redacted map[string]bool, kept *wsfev1.FECompConsResult) []Difference {
	sent := reflect.ValueOf(lot.Invoice(i)).Elem()
	if caea := lot.CAEAInvoice(i); caea != nil {
		sent = reflect.ValueOf(caea).Elem()
	}
	c := comparison{invoices: invoices{issuer: issuer, kept: kept}, redacted: redacted}
	return c.differencesOf(sent)
}

// Numbers returns the differences where nothing else of the sent invoice can be had.
func Numbers(sent wsfev1.InvoiceRange, kept *wsfev1.FECompConsResult) []Difference {
	c := comparison{invoices: invoices{kept: kept}}
	return c.differencesOf(reflect.ValueOf(sent))
}

type comparison struct {
	invoices
	// redacted are the names of members whose sent value cannot be had.
	redacted    map[string]bool
	differences []Difference
}

func (c *comparison) differencesOf(sent reflect.Value) []Difference {
	c.object("", wsfev1.ShapeOf(sent.Type()), keptShape, sent, reflect.ValueOf(c.kept).Elem())
	return c.differences
}

func (c *comparison) differ(field, sent, kept string) {
	c.differences = append(c.differences, Difference{field, cmp.Or(sent, "-"), cmp.Or(kept, "-")})
}

// object compares the members of an object, whose path ends with a slash.
func (c *comparison) object(path string, sentShape, keptShape *wsfev1.Shape, sent, kept reflect.Value) {
	for i := range sentShape.Members {
		m := &sentShape.Members[i]
		if c.redacted[m.Name] {
			continue
		}
		there, as := reflect.Zero(m.Shape.Type), cmp.Or(echoes[path+m.Name].as, m.Name)
		if j, ok := keptShape.Member([]byte(as)); ok {
			there = valueOf(&keptShape.Members[j], kept)
		}
		here, field := valueOf(m, sent), path+m.Name
		switch m.Shape.Kind {
		case wsfev1.KindObject:
			c.object(field+"/", m.Shape, m.Shape, here, there)
		case wsfev1.KindList:
			c.list(field, m.Shape.Item, here, there)
		default:
			if s, k := textOf(m.Shape, here), textOf(m.Shape, there); !c.same(field, s, k) {
				c.differ(field, s, k)
			}
		}
	}
}

// same reports whether a member of the service's may have been sent in this form.
func (c *comparison) same(field, sent, kept string) bool {
	if row, ok := echoes[field]; ok {
		return row.same(&c.invoices, sent, kept)
	}
	return sent == kept
}

// valueOf returns a member of an object, its zero for one that is absent.
func valueOf(m *wsfev1.Member, object reflect.Value) reflect.Value {
	value := object.FieldByIndex(m.Index)
	switch {
	case !m.Pointer:
		return value
	case value.IsNil():
		return reflect.Zero(m.Shape.Type)
	}
	return value.Elem()
}

// textOf returns a scalar in one form: a number without insignificant zeros, and "0" for none; a
// day as yyyymmdd; a text without the spaces around it, and none for NULL.
func textOf(shape *wsfev1.Shape, value reflect.Value) string {
	switch shape.Kind {
	case wsfev1.KindInteger:
		return strconv.FormatInt(value.Int(), 10)
	case wsfev1.KindAmount:
		number, _ := reflect.TypeAssert[wsfev1.Amount](value)
		return amountText(number)
	}
	text := strings.TrimFunc(value.String(), isBlank)
	switch {
	case text == "NULL":
		return ""
	case shape.Type == dateType:
		return storedDate(text)
	}
	return text
}
