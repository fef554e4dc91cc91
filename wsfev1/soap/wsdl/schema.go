package wsdl

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// schema writes types where they are first used, each once.
type schema struct {
	*printer
	written map[string]bool
	// caea: the operation is one of advance codes, which has types of its own for the header of a
	// lot.
	caea bool
}

// complexType is a type of the description.
type complexType struct {
	name    string
	shape   *wsfev1.Shape
	members []*wsfev1.Member
}

// names has the names of the types that are not named after their member or their Go type.
var names = map[reflect.Type]string{
	reflect.TypeFor[wsfev1.Auth]():             "FEAuthRequest",
	reflect.TypeFor[wsfev1.FeCAEReq]():         "FECAERequest",
	reflect.TypeFor[wsfev1.FeCAEARegInfReq]():  "FECAEARequest",
	reflect.TypeFor[wsfev1.FeCompConsReq]():    "FECompConsultaReq",
	reflect.TypeFor[wsfev1.PeriodoAsoc]():      "Periodo",
	reflect.TypeFor[wsfev1.FECompConsResult](): "FECompConsResponse",
	reflect.TypeFor[wsfev1.CAEAResult]():       "FECAEAGet",
}

// results are the types of the answers that are not named after their list.
var results = map[string]string{
	"FECAESolicitar": "FECAEResponse", "FECAEARegInformativo": "FECAEAResponse", "FECompTotXRequest": "FERegXReqResponse",
	"FEDummy": "DummyResponse", "FECompUltimoAutorizado": "FERecuperaLastCbteResponse", "FECompConsultar": "FECompConsultaResponse",
	"FECAEASolicitar": "FECAEAGetResponse", "FECAEAConsultar": "FECAEAGetResponse", "FECAEASinMovimientoConsultar": "FECAEASinMovConsResponse",
	"FECAEASinMovimientoInformar": "FECAEASinMovResponse", "FEParamGetCotizacion": "FECotizacionResponse", "FEParamGetTiposTributos": "FETributoResponse",
	"FEParamGetPtosVenta": "FEPtoVentaResponse", "FEParamGetTiposPaises": "FEPaisResponse", "FEParamGetActividades": "FEActividadesResponse",
}

// narrow are the integers that are smaller in the description than in the Go types.
var narrow = map[string]string{
	"TributoTipo.Id": "s:short", "PaisTipo.Id": "s:short", "ActividadesTipo.Orden": "s:short", "FERecuperaLastCbteResponse.CbteNro": "s:int",
}

// bases are the types that others extend: by all of their members where count is 0.
var bases = map[string]struct {
	name  string
	count int
}{
	"FECAECabRequest": {name: "FECabRequest"}, "FECAEACabRequest": {name: "FECabRequest"},
	"FECAECabResponse": {name: "FECabResponse"}, "FECAEACabResponse": {name: "FECabResponse"},
	"FECAEDetRequest": {name: "FEDetRequest"}, "FECAEADetRequest": {"FEDetRequest", embedded[wsfev1.FECAEDetRequest]()},
	"FECAEDetResponse": {"FEDetResponse", embedded[wsfev1.DetResponse]()}, "FECAEADetResponse": {"FEDetResponse", embedded[wsfev1.DetResponse]()},
	"FECompConsResponse": {"FECAEDetRequest", embedded[wsfev1.FECAEDetRequest]()}, "FECAEASinMovResponse": {"FECAEASinMov", embedded[wsfev1.FECAEASinMov]()},
}

func embedded[T any]() int { return len(wsfev1.ShapeOf(reflect.TypeFor[T]()).Members) }

// operation writes the two elements of an operation, and the types that they need.
func (s *schema) operation(op *wsfev1.Operation) {
	s.caea = strings.HasPrefix(op.Name, "FECAEA")
	request := complexType{shape: op.Request, members: soap.Members(op, false)}
	s.element(op.Name, func() []complexType { return s.sequence(request, request.members) })
	answer := complexType{name: s.result(op), shape: op.Answer, members: soap.Members(op, true)}
	s.element(op.Name+"Response", func() []complexType {
		s.within("s:sequence", func() { s.member(op.Name+"Result", "tns:"+answer.name, 0) })
		return []complexType{answer}
	})
}

func (s *schema) result(op *wsfev1.Operation) string {
	if name, ok := results[op.Name]; ok {
		return name
	}
	return op.Answer.Members[0].Shape.Members[0].Name + "Response"
}

// element writes an element of an anonymous type, and after it the types that content returns.
func (s *schema) element(name string, content func() []complexType) {
	var used []complexType
	s.within(`s:element name="`+name+`"`, func() {
		if name == "FEDummy" {
			s.line("<s:complexType />")
			return
		}
		s.within("s:complexType", func() { used = content() })
	})
	s.types(used)
}

func (s *schema) types(used []complexType) {
	for _, t := range used {
		if !s.written[t.name] {
			s.written[t.name] = true
			s.complexType(t)
		}
	}
}

func (s *schema) complexType(t complexType) {
	var used []complexType
	base, extends := bases[t.name]
	s.within(`s:complexType name="`+t.name+`"`, func() {
		if !extends {
			used = s.sequence(t, t.members)
			return
		}
		count := base.count
		if count == 0 {
			count = len(t.members)
		}
		parent := complexType{name: base.name, shape: t.shape, members: t.members[:count]}
		used = append(used, parent)
		s.within(`s:complexContent mixed="false"`, func() {
			if count == len(t.members) {
				s.line(`<s:extension base="tns:` + parent.name + `" />`)
				return
			}
			s.within(`s:extension base="tns:`+parent.name+`"`, func() { used = append(used, s.sequence(t, t.members[count:])...) })
		})
	})
	s.types(used)
}

// sequence writes members and returns the types that they need.
func (s *schema) sequence(t complexType, members []*wsfev1.Member) (used []complexType) {
	s.within("s:sequence", func() {
		for _, m := range members {
			switch m.Shape.Kind {
			case wsfev1.KindObject:
				inner := s.typeOf(m)
				used = append(used, inner)
				s.member(m.Name, "tns:"+inner.name, 0)
			case wsfev1.KindList:
				used = append(used, complexType{name: m.Name, shape: m.Shape.Item, members: membersOf(m.Shape.Item)})
				s.line(`<s:element minOccurs="0" maxOccurs="unbounded" name="` + m.Name + `" nillable="true" type="tns:` + m.Name + `" />`)
			default:
				least := 1
				if soap.Optional(t.shape, m) {
					least = 0
				}
				s.member(m.Name, scalarType(t.name, m), least)
			}
		}
	})
	return used
}

func (s *schema) member(name, kind string, least int) {
	s.line(`<s:element minOccurs="` + strconv.Itoa(least) + `" maxOccurs="1" name="` + name + `" type="` + kind + `" />`)
}

// typeOf returns the type of a member that is an object.
func (s *schema) typeOf(m *wsfev1.Member) complexType {
	t := complexType{name: m.Name, shape: m.Shape, members: membersOf(m.Shape)}
	if name, ok := names[m.Shape.Type]; ok {
		t.name = name
		return t
	}
	switch {
	case len(t.members) == 1 && t.members[0].Shape.Kind == wsfev1.KindList:
		t.name = "ArrayOf" + t.members[0].Name
	case strings.HasPrefix(m.Name, "FeCab"):
		t.name = "FECAECab" + map[bool]string{true: "Request", false: "Response"}[m.Name == "FeCabReq"]
		if s.caea {
			t.name = strings.Replace(t.name, "FECAE", "FECAEA", 1)
		}
	default:
		t.name = m.Shape.Type.Name()
	}
	return t
}

func membersOf(shape *wsfev1.Shape) (all []*wsfev1.Member) {
	for i := range shape.Members {
		all = append(all, &shape.Members[i])
	}
	return all
}

func scalarType(of string, m *wsfev1.Member) string {
	if name, ok := narrow[of+"."+m.Name]; ok {
		return name
	}
	switch m.Shape.Kind {
	case wsfev1.KindAmount:
		return "s:double"
	case wsfev1.KindInteger:
		return map[int]string{16: "s:short", 32: "s:int", 64: "s:long"}[m.Shape.Bits]
	}
	return "s:string"
}
