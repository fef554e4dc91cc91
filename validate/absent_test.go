package validate_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestWhatIsLeftOutIsRememberedAtItsPlace leaves members out at random, everywhere.
func TestWhatIsLeftOutIsRememberedAtItsPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, op := range wsfev1.Operations {
		for range 50 {
			document := sample(op.Request, true)
			left := map[string]bool{}
			leaveOut(random, document, "", left)
			req, found := validate.Decode(op, []byte(document.text()), validate.ARCA)
			if len(found) > 0 {
				t.Fatalf("%s: %v", op.Name, validatetest.Brief(found))
			}
			for pointer, want := range left {
				if req.Absent(pointer) != want {
					t.Errorf("%s: %s counts as left out: %v, in %s", op.Name, pointer, !want, document.text())
				}
			}
		}
	}
}

// leaveOut removes some of the expected members of a value, and of the values below it.
// For every pointer it notes whether the request should report it as left out.
func leaveOut(random *rand.Rand, b *body, pointer string, left map[string]bool) {
	left[pointer] = false
	switch b.shape.Kind {
	case wsfev1.KindList:
		for i, item := range b.values {
			leaveOut(random, item, pointer+"/"+strconv.Itoa(i), left)
		}
		left[pointer+"/"+strconv.Itoa(len(b.values))], left[pointer+"/x"] = false, false
	case wsfev1.KindObject:
		for i, m := range b.shape.Members { // a full sample has the members of its shape
			if at := pointer + "/" + m.Name; m.Expected && random.IntN(3) == 0 {
				b.values[i].raw, left[at] = "null", true
			} else {
				leaveOut(random, b.values[i], at, left)
			}
		}
		left[pointer+"/Zzz"] = false
	default:
		left[pointer+"/0"] = false
	}
}
