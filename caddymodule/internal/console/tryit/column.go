package tryit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// group is the object of a request that a column belongs to.
type group int

const (
	inAuth group = iota
	inHeader
	inInvoice
	inTributo
	inCbteAsoc
	inPeriodoAsoc
	inIva
	inOpcional
)

// column is one of a sheet: a scalar of a request.
type column struct {
	name   string
	group  group
	member string
	kind   wsfev1.Kind
	// id identifies the rate of IVA or the Opcional.
	id string
}

// columns are those that a sheet may have, beside one for each Opcional, in the order of the template.
var columns = makeColumns()

func makeColumns() []column {
	report := wsfev1.OperationByName("FECAEARegInformativo").Request
	header := at(report, "FeCAEARegInfReq", "FeCabReq")
	invoice := at(report, "FeCAEARegInfReq", "FeDetReq", "FECAEADetRequest").Item
	all := []column{{name: "Cuit", group: inAuth, member: "Cuit", kind: wsfev1.KindInteger}}
	all = append(all, scalars(header, "", inHeader)...)
	all = slices.DeleteFunc(all, func(c column) bool { return c.name == "CantReg" })
	all = append(all, scalars(invoice, "", inInvoice)...)
	for id := range int32(100) {
		if rate, ok := wsfev1.IvaRate(id); ok {
			name, id := "Iva"+rate.String(), strconv.Itoa(int(id))
			all = append(all, column{name + "Base", inIva, "BaseImp", wsfev1.KindAmount, id}, column{name + "Importe", inIva, "Importe", wsfev1.KindAmount, id})
		}
	}
	all = append(all, scalars(at(invoice, "Tributos", "Tributo").Item, "Tributo", inTributo)...)
	all = append(all, scalars(at(invoice, "CbtesAsoc", "CbteAsoc").Item, "CbteAsoc", inCbteAsoc)...)
	return append(all, scalars(at(invoice, "PeriodoAsoc"), "PeriodoAsoc", inPeriodoAsoc)...)
}

// at returns the shape of a member within members.
func at(shape *wsfev1.Shape, names ...string) *wsfev1.Shape {
	for _, name := range names {
		i, _ := shape.Member([]byte(name)) // a name of the interface
		shape = shape.Members[i].Shape
	}
	return shape
}

// scalars returns columns for the scalars of an object.
func scalars(shape *wsfev1.Shape, prefix string, in group) (all []column) {
	for i := range shape.Members {
		m := &shape.Members[i]
		if m.Shape.Kind != wsfev1.KindObject && m.Shape.Kind != wsfev1.KindList {
			all = append(all, column{name: prefix + m.Name, group: in, member: m.Name, kind: m.Shape.Kind})
		}
	}
	return all
}

// columnNames names the columns of a sheet.
func columnNames() (names []string) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	return append(names, "Opcional2101")
}

// columnOf returns the column of a name, in any case.
func columnOf(name string) (column, bool) {
	name = strings.TrimSpace(name)
	for _, c := range columns {
		if strings.EqualFold(c.name, name) {
			return c, true
		}
	}
	const opcional = "opcional"
	if len(name) > len(opcional) && strings.EqualFold(name[:len(opcional)], opcional) {
		if _, err := strconv.ParseUint(name[len(opcional):], 10, 16); err == nil {
			return column{name, inOpcional, "Valor", wsfev1.KindText, name[len(opcional):]}, true
		}
	}
	return column{}, false
}
