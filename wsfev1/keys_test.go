package wsfev1_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1"
)

// TestKeyPointersAreThere: each leads to a member of some request or answer.
func TestKeyPointersAreThere(t *testing.T) {
	for _, pointer := range wsfev1.KeyPointers {
		found := false
		for _, op := range wsfev1.Operations {
			found = found || leads(op.Request, pointer) || leads(op.Answer, pointer)
		}
		if !found {
			t.Errorf("%s leads nowhere", pointer)
		}
	}
}

func leads(shape *wsfev1.Shape, pointer string) bool {
	for step := range strings.SplitSeq(pointer[1:], "/") {
		if shape.Kind == wsfev1.KindList && step == "*" {
			shape = shape.Item
			continue
		}
		i, ok := shape.Member([]byte(step))
		if !ok {
			return false
		}
		shape = shape.Members[i].Shape
	}
	return true
}
