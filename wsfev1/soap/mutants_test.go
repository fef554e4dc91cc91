package soap_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestHostileMessages reads requests in every client's form with something wrong in them: tags
// that are moved, repeated, taken away, texts that are replaced, bytes that are changed. An
// accepted message passes the checks of the fuzz tests.
//
//	FIELATO_TEST_LONG=1000 go test ./wsfev1/soap -run HostileMessages -timeout 1h
func TestHostileMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(20261122, 2))
	all := files(t, "requests")
	names := slices.Sorted(maps.Keys(all))
	accepted := 0
	for range testrun.Size(t, 3_000, 10_000) {
		body := all[names[r.IntN(len(names))]]
		for range 1 + r.IntN(3) {
			body = mutated(r, body)
		}
		checkRequest(t, body, "utf-8")
		if e, err := soap.Open(body, ""); err == nil && len(e.Decode(operation(t, "FECAESolicitar")).Findings) == 0 {
			accepted++
		}
	}
	if accepted < 100 {
		t.Errorf("only %d were accepted", accepted)
	}
}

// insertions are put between the tokens of a body, or instead of one.
var insertions = []string{
	"", " ", "x", "1", "-1", "1E7", "0.10000000000000001", "99999999999999999999", "&amp;", "&#65;", "<!-- c -->", "<![CDATA[<y>]]>", "<?p i?>",
	"<a>", "</a>", "<a/>", `<PtoVta xmlns="http://ar.gov.afip.dif.FEV1/">2</PtoVta>`, `<x xmlns="urn:x"><Token>t</Token></x>`, "\r\n", "\x00", "\xFF", "]]>", "&", "<",
}

// mutated changes one token of a body: a tag or the text between two.
func mutated(r *rand.Rand, body []byte) []byte {
	var cuts []int
	for i, c := range body {
		if c == '<' || c == '>' {
			cuts = append(cuts, i+int(c-'<')/2)
		}
	}
	if len(cuts) < 2 {
		return body
	}
	piece := func() (int, int) { i := r.IntN(len(cuts) - 1); return cuts[i], cuts[i+1] }
	from, to := piece()
	with := []byte(insertions[r.IntN(len(insertions))])
	switch r.IntN(5) {
	case 0: // insert
		to = from
	case 1: // another token of the same body
		start, end := piece()
		with = body[start:end]
	case 2: // once more
		with = bytes.Repeat(body[from:to], 2)
	case 3: // an element that is there, somewhere else
		start := r.IntN(len(cuts) - 1)
		end := min(start+1+r.IntN(6), len(cuts)-1)
		with, to = body[cuts[start]:cuts[end]], from
	}
	return slices.Concat(body[:from], with, body[to:])
}
