package console

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// conditions are headers that ask for a part of an answer, or for nothing if it is known.
var conditions = [][]string{nil, {"Range", "bytes=0-10"}, {"If-None-Match", "*"}, {"If-Modified-Since", "Mon, 23 Nov 2026 15:00:00 GMT"}, {"Accept-Language", "en"}}

// TestAnothersRecordIsNoRecord: status, headers and body are the same for a record that the reader may not see
// and for one that does not exist, whatever is asked for it.
func TestAnothersRecordIsNoRecord(t *testing.T) {
	const nowhere = 987_654_321
	l, own := mixed(t)
	s := l.site()
	same := 0
	for _, route := range s.Routes() {
		method, pattern, _ := strings.Cut(route, " ")
		if !strings.Contains(pattern, "{index}") {
			continue
		}
		for _, path := range addressesWith(t, pattern, map[string][]string{
			"{log}": {scopeLog}, "{index}": {"INDEX"}, "{part}": {"request", "answer"}, "{file}": {"proof"},
		}) {
			at := func(index uint64) string {
				return strings.ReplaceAll(path, "INDEX", strconv.FormatUint(index, 10)) + "#nro=1"
			}
			for _, condition := range conditions {
				methods := []string{method}
				if method == http.MethodGet {
					methods = append(methods, http.MethodHead)
				}
				for _, method := range methods {
					askFor := func(index uint64) answerOf {
						got := ask(t, s, "a", method, at(index), condition...)
						asked := strings.NewReplacer(fmt.Sprintf("gateway-1/%d\r", index), "ASKED", fmt.Sprintf(`gateway-1/%d"`, index), "ASKED")
						return answerOf{got.Code, asked.Replace(got.Head), asked.Replace(got.Body)} // a redirect repeats it
					}
					want := askFor(nowhere)
					for _, index := range testrun.Some(t, 6, slices.Concat(own[""], own["b"])) {
						if got := askFor(index); got != want {
							t.Errorf("%s %s %v: %+v, want %+v", method, at(index), condition, got, want)
						}
						same++
					}
				}
			}
		}
	}
	if same < 300 {
		t.Errorf("only %d answers were compared", same)
	}
}

// TestWhatOthersHaveIsNotFound: a search for it has the same answer as a search for something that nobody has.
func TestWhatOthersHaveIsNotFound(t *testing.T) {
	l, _ := mixed(t)
	s := l.site()
	const nobody wsfev1.CUIT = 30712345671
	if err := nobody.Check(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/consola/search?", "/consola/search.csv?", "/consola/search?all=1&", "/consola/search?kind=intent&", "/consola/month?month=2026-11&", "/consola/month.csv?month=2026-11&"} {
		for _, pair := range [][2]string{
			{"q=93007070000001", "q=93107070000001"},
			{"q=93007070000001&outcome=approved", "q=93107070000001&outcome=approved"},
			{"q=00000000-0000-4000-8000-300707000001", "q=00000000-0000-4000-8000-310707000001"},
			{"q=30-50001091-2", "q=30-71234567-1"},
			{"q=30500010912", "q=30712345671"},
			{"cuit=30500010912", "cuit=30712345671"},
			{"client=cliente-300707", "client=cliente-310707"},
			{"q=6-1-1002", "q=6-1-2002"},
			{"q=B+0001-00001002", "q=B+0001-00002002"},
			{"q=30500010912+6-1-1", "q=30712345671+6-1-1"},
			{"log=gateway-2", "log=gateway-9"},
			{"at=gateway-2/3", "at=gateway-9/3"},
			{"at=gateway-1/3", "at=gateway-1/3"},
		} {
			var got [2]answerOf
			for i, asked := range pair {
				got[i] = ask(t, s, "a", http.MethodGet, path+asked)
				_, value, _ := strings.Cut(asked, "=")
				value, _, _ = strings.Cut(value, "&")
				plain, _ := url.QueryUnescape(value)
				hide := strings.NewReplacer(value, "VALUE", html.EscapeString(value), "VALUE", strings.ReplaceAll(value, "+", "&#43;"), "VALUE", plain, "VALUE", url.QueryEscape(plain), "VALUE", int64Text(30500010912), "CUIT", int64Text(int64(nobody)), "CUIT", "30-50001091-2", "CUIT", "30-71234567-1", "CUIT")
				got[i].Body, got[i].Head = hide.Replace(got[i].Body), hide.Replace(got[i].Head)
			}
			if got[0] != got[1] {
				t.Errorf("%s%s: %s", path, pair[0], firstDifference(got[0].Head+got[0].Body, got[1].Head+got[1].Body))
			}
		}
	}
}

// TestAnothersInvoiceIsNoInvoice: its page and its sheet are the same as for an invoice that nobody has.
func TestAnothersInvoiceIsNoInvoice(t *testing.T) {
	l, _ := mixed(t)
	s := l.site()
	const nobody wsfev1.CUIT = 30712345671
	hide := strings.NewReplacer(int64Text(int64(issuerB)), "CUIT", int64Text(int64(nobody)), "CUIT", "30-50001091-2", "CUIT", "30-71234567-1", "CUIT")
	for _, number := range []string{"1", "2", "6", "9", "12"} {
		for _, rest := range []string{"", "/constancia.html"} {
			for _, condition := range conditions {
				var got [2]answerOf
				for i, cuit := range []wsfev1.CUIT{issuerB, nobody} {
					got[i] = ask(t, s, "a", http.MethodGet, "/consola/comprobante/"+int64Text(int64(cuit))+"/6/1/"+number+rest, condition...)
					got[i].Body, got[i].Head = hide.Replace(got[i].Body), hide.Replace(got[i].Head)
				}
				if got[0] != got[1] || got[0].Code != http.StatusNotFound {
					t.Errorf("%s%s %v: %d, %d: %s", number, rest, condition, got[0].Code, got[1].Code, firstDifference(got[0].Head+got[0].Body, got[1].Head+got[1].Body))
				}
			}
		}
	}
	if got := ask(t, s, "b", http.MethodGet, "/consola/comprobante/30500010912/6/1/1"); got.Code != http.StatusOK || !strings.Contains(got.Body, "9"+tagOf(issuerB)) {
		t.Errorf("the issuer's own reader does not see it: %+v", got)
	}
	if got := ask(t, s, "b", http.MethodGet, "/consola/comprobante/30500010912/6/1/1/constancia.html"); got.Code != http.StatusOK || !strings.Contains(got.Body, "tlog-proof@v1") {
		t.Errorf("the issuer's own reader gets no sheet with its proof: %+v", got)
	}
}

func int64Text(n int64) string { return strconv.FormatInt(n, 10) }

func firstDifference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	cut := func(text string) string { return text[max(0, min(at, len(text))-80):min(len(text), at+120)] }
	return fmt.Sprintf("…%s…\nwant …%s…", cut(a), cut(b))
}

// fillPages appends the exchanges of the first issuer, more than a page of a search shows.
func (l *ledger) fillPages() {
	l.fill(scopeLog, issuerA)
	for number := range int64(60) {
		l.add(scopeLog, approved(issuerA, 100+number, 1))
	}
}

// inChain are the parts of a proof that depend on all records of the log: the checkpoint and the hashes of the
// tree, of which a larger tree has more. Lengths follow from them.
var inChain = regexp.MustCompile(`(?s)(?:fielato/gateway-\d.*?\n\n|[0-9A-Za-z+/]{40,}=*|— \S+ \S+|Content-Length: \d+|&#43;|\\n|\\u[0-9a-f]{4}|<br>|</?code[^>]*>|</?dd[^>]*>|</?li>|[\s,"=]+)+`)

func withoutChain(text string) string {
	if strings.HasPrefix(text, "PK") {
		return "an archive" // TestEvidenceHasOwnRecordsAlone opens it
	}
	return inChain.ReplaceAllString(text, " ")
}

var lengths = regexp.MustCompile(`Content-Length: \d+\r\n`)

// TestTheSiteIsTheSameWithoutTheOthers: byte for byte, with thousands of records of another issuer behind the
// reader's own, or in another log. Between them they move the reader's own records, so that addresses differ.
func TestTheSiteIsTheSameWithoutTheOthers(t *testing.T) {
	others := testrun.Size(t, 2_000, 10_000)
	alone := newLedger(t)
	alone.fillPages()
	behind := newLedger(t)
	behind.fillPages()
	behind.fill(scopeLog, issuerB)
	behind.many(scopeLog, others/2)
	behind.many("gateway-2", others/2)
	between := newLedger(t)
	between.before = func() { between.many(scopeLog, others/len(alone.at)) }
	between.fillPages()
	between.before()
	between.many("gateway-2", 10)
	want, got, moved := alone.site(), behind.site(), between.site()
	compared := 0
	requestsOf(t, want, 20, func(method, address string, index *uint64) {
		compared++
		first := ask(t, want, "a", method, address)
		second := ask(t, got, "a", method, address)
		movedAddress := address
		if index != nil {
			movedAddress = strings.Replace(address, fmt.Sprintf("/%d", *index), fmt.Sprintf("/%d", between.at[*index]), 1)
		}
		third := ask(t, moved, "a", method, between.movedCursors(movedAddress))
		third.Head, third.Body = between.movedBack(third.Head), between.movedBack(third.Body)
		if isProof := strings.Contains(address, "/proof/") || strings.Contains(address, "/constancia.html"); isProof {
			for _, one := range []*answerOf{&first, &second, &third} {
				one.Head, one.Body = withoutChain(one.Head), withoutChain(one.Body)
			}
			if first.Code == http.StatusOK {
				third.Body = first.Body // the index stands everywhere in it; what others' records have is tested elsewhere
			}
		}
		if first != second {
			t.Errorf("%s %s with others behind: %d, %d: %s", method, address, second.Code, first.Code, firstDifference(second.Head+second.Body, first.Head+first.Body))
		}
		first.Head, third.Head = lengths.ReplaceAllString(first.Head, ""), lengths.ReplaceAllString(third.Head, "")
		if first != third {
			t.Errorf("%s %s with others between: %d, %d: %s", method, address, third.Code, first.Code, firstDifference(third.Head+third.Body, first.Head+first.Body))
		}
	})
	t.Logf("%d answers were compared", compared)
	if page := ask(t, moved, "a", http.MethodGet, "/consola/search"); !strings.Contains(page.Body, `rel="next"`) {
		t.Error("no search has a second page")
	}
}

// places are addresses in a text, in a link, and in the name of a file.
var places = regexp.MustCompile(`(gateway-1(?:/|%2F|-))(\d+)`)

// movedBack returns a text with the addresses of the reader's records as they are without others.
func (l *ledger) movedBack(text string) string {
	return places.ReplaceAllStringFunc(text, func(place string) string {
		parts := places.FindStringSubmatch(place)
		index, _ := strconv.ParseUint(parts[2], 10, 64)
		if at, ok := slices.BinarySearch(l.at, index); ok {
			return parts[1] + strconv.Itoa(at)
		}
		if at, ok := slices.BinarySearch(l.at, index-1); ok { // a cursor lies behind a record
			return parts[1] + strconv.Itoa(at+1)
		}
		return place
	})
}

// movedCursors returns an address with the same cursor in the log with others.
func (l *ledger) movedCursors(address string) string {
	before, cursor, found := strings.Cut(address, "at=gateway-1/")
	if !found {
		return address
	}
	at, err := strconv.Atoi(cursor)
	if err != nil {
		l.t.Fatal(err)
	}
	return before + "at=gateway-1/" + strconv.FormatUint(l.at[at-1]+1, 10)
}
