package wsfev1_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// shorthand writes a shape as contractTable does, without extensions and without
// the members that skip names.
func shorthand(shape *wsfev1.Shape, skip ...string) string {
	var parts []string
	for _, m := range shape.Members {
		if m.Extension || slices.Contains(skip, m.Name) {
			continue
		}
		switch m.Shape.Kind {
		case wsfev1.KindText:
			parts = append(parts, m.Name+":s")
		case wsfev1.KindInteger:
			parts = append(parts, m.Name+":n")
		case wsfev1.KindAmount:
			parts = append(parts, m.Name+":d")
		case wsfev1.KindObject:
			parts = append(parts, m.Name+"{"+shorthand(m.Shape)+"}")
		case wsfev1.KindList:
			parts = append(parts, m.Name+"["+shorthand(m.Shape.Item)+"]")
		}
	}
	return strings.Join(parts, " ")
}

// members lists the dotted paths of the members of a shape that are wanted.
func members(shape *wsfev1.Shape, wanted func(*wsfev1.Member) bool) []string {
	var paths []string
	for i := range shape.Members {
		m := &shape.Members[i]
		if wanted(m) {
			paths = append(paths, m.Name)
		}
		inner := m.Shape
		if inner.Kind == wsfev1.KindList {
			inner = inner.Item
		}
		for _, p := range members(inner, wanted) {
			paths = append(paths, m.Name+"."+p)
		}
	}
	return paths
}

func TestTheTwentyOperationsOfTheContractComeFirstAndInItsOrder(t *testing.T) {
	if len(contractTable) != 20 {
		t.Fatalf("the table of this test has %d rows, the contract has 20", len(contractTable))
	}
	for i, row := range contractTable {
		op := wsfev1.Operations[i]
		if op.Name != row.name {
			t.Errorf("operation %d is %s, want %s", i+1, op.Name, row.name)
		}
		if op.Extension {
			t.Errorf("%s is marked as an extension", op.Name)
		}
		if wsfev1.OperationByName(row.name) != op {
			t.Errorf("OperationByName does not find %s", row.name)
		}
	}
}

func TestOnlyTheKnownExtensionsFollowTheContract(t *testing.T) {
	var names []string
	for _, op := range wsfev1.Operations[20:] {
		names = append(names, op.Name)
		if !op.Extension {
			t.Errorf("%s is not marked as an extension", op.Name)
		}
	}
	if want := []string{"FECAEAConsultar", "FEParamGetCondicionIvaReceptor"}; !slices.Equal(names, want) {
		t.Errorf("extensions %v, want %v", names, want)
	}
}

func TestOperationNamesAreCaseSensitive(t *testing.T) {
	for _, name := range []string{"", "fecaesolicitar", "FECAESOLICITAR", "FECAESolicitar ", "FECAESolicitar/"} {
		if op := wsfev1.OperationByName(name); op != nil {
			t.Errorf("%q found %s", name, op.Name)
		}
	}
}

func TestOnlyTheOperationsThatChangeSomethingSaySo(t *testing.T) {
	changing := []string{"FECAESolicitar", "FECAEARegInformativo", "FECAEASolicitar", "FECAEASinMovimientoInformar"}
	for _, op := range wsfev1.Operations {
		want := "none"
		if slices.Contains(changing, op.Name) {
			want = "changes"
		}
		if op.Effect.String() != want {
			t.Errorf("%s has effect %s, want %s", op.Name, op.Effect, want)
		}
	}
}

func TestRequestsHaveExactlyTheMembersOfTheContract(t *testing.T) {
	for i, row := range contractTable {
		if got := shorthand(wsfev1.Operations[i].Request); got != row.request {
			t.Errorf("%s\n got %s\nwant %s", row.name, got, row.request)
		}
	}
}

func TestAnswersHaveExactlyTheMembersOfTheContract(t *testing.T) {
	for i, row := range contractTable {
		if got := shorthand(wsfev1.Operations[i].Answer, "Errors", "Events"); got != row.answer {
			t.Errorf("%s\n got %s\nwant %s", row.name, got, row.answer)
		}
	}
}

func TestEveryAnswerButFEDummysEndsWithErrorsAndEvents(t *testing.T) {
	const errors, events = `Errors{Err[Code:n Msg:s]}`, `Events{Evt[Code:n Msg:s]}`
	for _, op := range wsfev1.Operations {
		var envelope []string
		for _, m := range op.Answer.Members {
			if m.Name == "Errors" || m.Name == "Events" {
				envelope = append(envelope, m.Name+"{"+shorthand(m.Shape)+"}")
			}
		}
		slices.Sort(envelope)
		want := []string{errors, events}
		if op.Name == "FEDummy" {
			want = nil
		}
		if !slices.Equal(envelope, want) {
			t.Errorf("%s: envelope %v, want %v", op.Name, envelope, want)
		}
	}
}

func TestRequiredMembersAreTheEnvelopeAndTheKeys(t *testing.T) {
	for _, op := range wsfev1.Operations {
		want, named := requiredMembers[op.Name]
		if !named {
			want = requiredByCredentialsAlone
		}
		got := members(op.Request, func(m *wsfev1.Member) bool { return m.Required })
		if strings.Join(got, " ") != want {
			t.Errorf("%s requires\n     %s\nwant %s", op.Name, strings.Join(got, " "), want)
		}
	}
}

func TestNothingOfAnAnswerIsRequiredOrSecret(t *testing.T) {
	for _, op := range wsfev1.Operations {
		got := members(op.Answer, func(m *wsfev1.Member) bool { return m.Required || m.Secret })
		if len(got) > 0 {
			t.Errorf("%s: %v", op.Name, got)
		}
	}
}

func TestTokenAndSignAreTheOnlySecrets(t *testing.T) {
	for _, op := range wsfev1.Operations {
		want := []string{"Auth.Token", "Auth.Sign"}
		if op.Name == "FEDummy" {
			want = nil
		}
		if got := members(op.Request, func(m *wsfev1.Member) bool { return m.Secret }); !slices.Equal(got, want) {
			t.Errorf("%s: secrets %v, want %v", op.Name, got, want)
		}
	}
}

func TestTheExtensionsOfTheLiveServiceAreMarked(t *testing.T) {
	detail := []string{"CanMisMonExt", "CondicionIVAReceptorId"}
	prefixed := func(prefix string) []string {
		return []string{prefix + detail[0], prefix + detail[1]}
	}
	requests := map[string][]string{
		"FECAESolicitar":       prefixed("FeCAEReq.FeDetReq.FECAEDetRequest."),
		"FECAEARegInformativo": prefixed("FeCAEARegInfReq.FeDetReq.FECAEADetRequest."),
		"FEParamGetCotizacion": {"FchCotiz"},
	}
	answers := map[string][]string{"FECompConsultar": prefixed("ResultGet.")}
	isExtension := func(m *wsfev1.Member) bool { return m.Extension }
	for _, op := range wsfev1.Operations {
		if got := members(op.Request, isExtension); !slices.Equal(got, requests[op.Name]) {
			t.Errorf("%s request: %v, want %v", op.Name, got, requests[op.Name])
		}
		if got := members(op.Answer, isExtension); !slices.Equal(got, answers[op.Name]) {
			t.Errorf("%s answer: %v, want %v", op.Name, got, answers[op.Name])
		}
	}
}
