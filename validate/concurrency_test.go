package validate_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// Decoders are pooled: what one request leaves behind must not reach the next.
func TestRequestsReadAtTheSameTimeDoNotMeet(t *testing.T) {
	const readers, rounds = 16, 20
	rules := newRules(t)
	type result struct {
		req   *validate.Request
		found []validate.Finding
	}
	decode := func(i int) result {
		op := wsfev1.Operations[i%len(wsfev1.Operations)]
		text := sample(op.Request, i%2 == 0).text()
		if i%3 == 0 {
			text = text[:len(text)*2/3]
		}
		req, found := validate.Decode(op, []byte(text), validate.ARCA)
		return result{req, append(found, rules.Judge(req, validatetest.Noon)...)}
	}
	want := make([]result, 6*len(wsfev1.Operations))
	for i := range want {
		want[i] = decode(i)
	}
	var wg sync.WaitGroup
	for reader := range readers {
		wg.Go(func() {
			for round := range rounds {
				i := (reader*31 + round*17) % len(want)
				if got := decode(i); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("request %d is read differently beside others: %v", i, validatetest.Brief(got.found))
				}
			}
		})
	}
	wg.Wait()
}
