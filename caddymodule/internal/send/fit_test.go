package send

import (
	"testing"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// fitTest is a request and an answer, and where the answer does not fit it, empty if it does.
type fitTest struct{ operation, asked, answer, want string }

func (test fitTest) check(t *testing.T, name string) {
	t.Helper()
	op := wsfev1.OperationByName(test.operation)
	asked, _ := validate.Decode(op, []byte(test.asked), validate.ARCA)
	said := op.NewAnswer()
	validate.DecodeAnswer(op.Answer, []byte(test.answer), said)
	subject, verdict := wsfev1.SubjectOf(asked.Body), wsfev1.VerdictOf(said)
	against := fit{asked: asked.Body, subject: &subject, verdict: &verdict}
	if got := against.mismatch(said); got != test.want {
		t.Errorf("%s: mismatch at %q, want %q", name, got, test.want)
	}
}
