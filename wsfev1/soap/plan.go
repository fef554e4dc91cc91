package soap

import (
	"reflect"
	"slices"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// plan is how a shape is read and written as XML. There is one for each shape, and one more for
// each request and answer: the order of their members hangs on the operation.
type plan struct {
	shape *wsfev1.Shape
	// members are the members of the shape, at their positions there; order is their order in the WSDL.
	members []member
	order   []int
	item    *plan
	// containers has a bit for each required member that is an object: without it there is no
	// request. numbers has one for each member that counts as left out and reads as 0.
	containers, numbers uint64
}

// member is a member of a plan.
type member struct {
	*wsfev1.Member
	plan *plan
	// open, closed and empty are its tags.
	open, closed, empty string
	// optional: the WSDL allows the number to be left out.
	optional bool
	// absent: where there is no text, the element is left out of an answer.
	absent bool
	// filled: an object without items is left out of an answer.
	filled bool
}

// messages are the plans of an operation.
type messages struct{ request, answer *plan }

// plans holds the plans of all operations. They are made when the package is initialised and do not
// change.
var plans = func() map[*wsfev1.Operation]messages {
	made := map[*wsfev1.Shape]*plan{}
	all := make(map[*wsfev1.Operation]messages, len(wsfev1.Operations))
	for _, op := range wsfev1.Operations {
		request, answer := *planOf(made, op.Request), *planOf(made, op.Answer)
		if op.Name == "FECAEASinMovimientoConsultar" {
			request.move("PtoVta", "CAEA")
		}
		if op.Family != wsfev1.FamilyIssuing {
			answer.move("Events", "Errors")
		}
		all[op] = messages{&request, &answer}
	}
	return all
}()

func planOf(made map[*wsfev1.Shape]*plan, shape *wsfev1.Shape) *plan {
	if p, ok := made[shape]; ok {
		return p
	}
	p := &plan{shape: shape}
	made[shape] = p
	if shape.Item != nil {
		p.item = planOf(made, shape.Item)
	}
	for i := range shape.Members {
		m := &shape.Members[i]
		bit := uint64(1) << i
		if m.Required && m.Shape.Kind == wsfev1.KindObject {
			p.containers |= bit
		} else if (m.Required || m.Expected) && m.Shape.Kind != wsfev1.KindList {
			p.numbers |= bit
		}
		p.members = append(p.members, memberOf(made, shape, m))
		p.order = append(p.order, i)
	}
	return p
}

// unsaid are the texts that the service leaves out of an answer when it has none, although JSON
// writes them empty. Only the answer to an operation that was refused has such texts.
var unsaid = map[reflect.Type]string{
	reflect.TypeFor[wsfev1.FECAEASinMovimientoInformarAnswer](): "CAEA FchProceso Resultado",
}

func memberOf(made map[*wsfev1.Shape]*plan, shape *wsfev1.Shape, m *wsfev1.Member) member {
	return member{
		Member: m, plan: planOf(made, m.Shape),
		open: "<" + m.Name + ">", closed: "</" + m.Name + ">", empty: "<" + m.Name + " />",
		optional: Optional(shape, m),
		absent:   m.OmitZero || slices.Contains(strings.Fields(unsaid[shape.Type]), m.Name),
		filled:   m.Name == "Errors" || m.Name == "Events" || m.Name == "Observaciones",
	}
}

// Members returns the members of an operation's request, or of its answer, in the order of the
// WSDL. All other objects have their members in the order of their shape.
func Members(op *wsfev1.Operation, answer bool) []*wsfev1.Member {
	p := plans[op].request
	if answer {
		p = plans[op].answer
	}
	if p == nil {
		return nil
	}
	var ordered []*wsfev1.Member
	for _, i := range p.order {
		ordered = append(ordered, p.members[i].Member)
	}
	return ordered
}

// Optional reports whether the WSDL allows a member of a shape to be left out: any but a number that
// reads as 0 then.
func Optional(shape *wsfev1.Shape, m *wsfev1.Member) bool {
	if shape == nil || m == nil || m.Shape == nil || m.Shape.Kind != wsfev1.KindInteger && m.Shape.Kind != wsfev1.KindAmount {
		return true
	}
	return m.Pointer || m.OmitZero && !m.Expected && !m.Required
}

// move puts the first of two members behind the second, where a plan has both.
func (p *plan) move(name, behind string) {
	at := func(name string) int {
		return slices.IndexFunc(p.order, func(i int) bool { return p.members[i].Name == name })
	}
	if from, to := at(name), at(behind); from >= 0 && to > from {
		i := p.order[from]
		p.order = slices.Insert(slices.Delete(slices.Clone(p.order), from, from+1), to, i)
	}
}
