// Package redaction knows which members of requests and answers a record can do without: the pointers of the option
// redact.
package redaction

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/wsfev1"
)

// Check returns an error with advice unless the pointer leads to a member of some
// request or answer that a record can do without.
func Check(pointer string) error {
	wrong := func(format string, a ...any) error {
		return fmt.Errorf("redact %s: "+format, append([]any{pointer}, a...)...)
	}
	rest, found := strings.CutPrefix(pointer, "/")
	if !found || rest == "" {
		return wrong("it is not a JSON Pointer: write /Member/Member, with * for each item of a list")
	}
	at, way := bodies(), ""
	for step := range strings.SplitSeq(rest, "/") {
		next := at.step(step)
		if next.empty() {
			return wrong("%s", at.instead(way, step))
		}
		if next.secret {
			return wrong("credentials are never kept, whatever is configured")
		}
		at, way = next, way+"/"+step
	}
	for _, key := range wsfev1.KeyPointers {
		switch {
		case key == pointer:
			return wrong("a record needs it: exchanges are found by it")
		case strings.HasPrefix(key, strings.TrimSuffix(pointer, "/*")+"/"):
			return wrong("it holds %s, which a record needs: name the members below it that are not to be kept", key)
		}
	}
	if pointer == "/Auth" {
		return wrong("it holds /Auth/Cuit, which a record needs; credentials are never kept, whatever is configured")
	}
	return nil
}

// shapePlace is what one pointer leads to in any of the bodies.
type shapePlace struct {
	shapes []*wsfev1.Shape
	secret bool
}

// bodies is where the empty pointer leads: every request and every answer.
func bodies() shapePlace {
	p := shapePlace{shapes: []*wsfev1.Shape{wsfev1.ErrorBodyShape}}
	for _, op := range wsfev1.Operations {
		p.shapes = append(p.shapes, op.Request, op.Answer)
	}
	return p
}

func (p shapePlace) empty() bool { return len(p.shapes) == 0 }

// step follows one step of a pointer. The result is empty if nothing is there.
func (p shapePlace) step(step string) (next shapePlace) {
	for _, shape := range p.shapes {
		if shape.Kind == wsfev1.KindList && step == "*" {
			next.shapes = append(next.shapes, shape.Item)
		}
		if i, ok := shape.Member([]byte(step)); ok {
			next.shapes = append(next.shapes, shape.Members[i].Shape)
			next.secret = next.secret || shape.Members[i].Secret
		}
	}
	return next
}

// instead suggests what was meant by a step that leads nowhere.
func (p shapePlace) instead(way, step string) string {
	var names []string
	for _, shape := range p.shapes {
		if shape.Kind == wsfev1.KindList {
			if _, err := strconv.Atoi(step); err == nil || step == "-" {
				return way + " is a list: write * for each of its items, as in " + way + "/*"
			}
			return way + " is a list: write " + way + "/*/" + step
		}
		for i := range shape.Members {
			names = append(names, shape.Members[i].Name)
		}
	}
	if len(names) == 0 {
		return way + " has no members"
	}
	nearest := slices.MinFunc(names, func(a, b string) int { return directive.Distance(a, step) - directive.Distance(b, step) })
	where := "no request or answer has " + step + " there"
	return where + ": did you mean " + way + "/" + nearest + "?"
}

// Namesakes returns the other pointers, into requests and answers, to members that have the last
// name of a redacted one and are kept: an answer often repeats what was sent.
func Namesakes(redacted []string) (kept []string) {
	last := map[string]bool{}
	for _, pointer := range redacted {
		pointer = strings.TrimSuffix(pointer, "/*")
		last[pointer[strings.LastIndexByte(pointer, '/')+1:]] = true
	}
	var visit func(shape *wsfev1.Shape, way string)
	visit = func(shape *wsfev1.Shape, way string) {
		if slices.Contains(redacted, way) {
			return
		}
		if shape.Kind == wsfev1.KindList {
			visit(shape.Item, way+"/*")
			return
		}
		for i := range shape.Members {
			m := &shape.Members[i]
			pointer := way + "/" + m.Name
			if last[m.Name] && !slices.Contains(redacted, pointer) && !slices.Contains(kept, pointer) && Check(pointer) == nil {
				kept = append(kept, pointer)
			}
			visit(m.Shape, pointer)
		}
	}
	for _, shape := range bodies().shapes {
		visit(shape, "")
	}
	return kept
}
