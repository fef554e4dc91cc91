package validate_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// TestHostileBodies reads the answers and the requests of all operations with something wrong
// in them, under both contracts: nothing panics, and a body without findings is one that the
// strict decoder reads alike.
//
//	FIELATO_TEST_LONG=1000 go test ./validate -run HostileBodies -timeout 1h
func TestHostileBodies(t *testing.T) {
	n := testrun.Size(t, 4_000, 10_000)
	r := rand.New(rand.NewPCG(20261122, 1))
	rules := newRules(t)
	for range n {
		op := wsfev1.Operations[r.IntN(len(wsfev1.Operations))]
		contract := []validate.Contract{validate.Base, validate.ARCA}[r.IntN(2)]
		shape, typed := op.Answer, op.NewAnswer()
		asked := r.IntN(3) == 0
		if asked {
			shape = op.Request
		}
		text := spoilText(r, []byte(sample(shape, r.IntN(4) > 0).text()))
		var found []validate.Finding
		if asked {
			var request *validate.Request
			request, found = validate.Decode(op, text, contract)
			rules.Judge(request, validatetest.Noon)
			typed = request.Body
		} else {
			found = validate.DecodeAnswer(shape, text, typed)
			wsfev1.VerdictOf(typed)
		}
		if len(found) > 0 {
			continue
		}
		again := reflect.New(shape.Type).Interface()
		if err := json.Unmarshal(text, again, json.RejectUnknownMembers(true)); err != nil || !reflect.DeepEqual(typed, again) {
			t.Fatalf("%s reads without findings as\n%+v\nwant\n%+v (%v)\n%s", op.Name, typed, again, err, text)
		}
	}
}

// spoilText replaces, repeats, cuts or turns over parts of a text, up to four times.
func spoilText(r *rand.Rand, text []byte) []byte {
	for range 1 + r.IntN(4) {
		if len(text) == 0 {
			return text
		}
		at := r.IntN(len(text))
		end := min(len(text), at+1+r.IntN(24))
		switch r.IntN(8) {
		case 0:
			text[at] = byte(r.IntN(256))
		case 1:
			text = append(bytes.Clone(text[:end]), text[at:]...) // twice the same
		case 2:
			text = append(bytes.Clone(text[:at]), text[end:]...)
		default:
			text = replaceScalar(r, text, at)
		}
	}
	return text
}

// replaceScalar puts an odd value in place of the number or the text that comes next.
func replaceScalar(r *rand.Rand, text []byte, from int) []byte {
	for _, scalar := range []string{"12.50", "7", `"texto"`} {
		if i := bytes.Index(text[from:], []byte(scalar)); i >= 0 {
			odd := validatetest.OddValues[r.IntN(len(validatetest.OddValues))]
			return append(append(bytes.Clone(text[:from+i]), odd...), text[from+i+len(scalar):]...)
		}
	}
	return text
}
