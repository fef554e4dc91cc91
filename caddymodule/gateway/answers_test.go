package gateway_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/testrun"
)

const largest = `{"RegXReq":250}`

// padded answers with a true answer and white space after it, of so many bytes together.
func padded(size int, announced bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if announced {
			w.Header().Set("Content-Length", strconv.Itoa(size))
		}
		_, _ = io.WriteString(w, largest)
		_, _ = io.CopyN(w, spaces{}, int64(size-len(largest))) // the gateway may hang up
	}
}

// compressed answers with a few bytes that stand for many.
func compressed(t *testing.T, size int64) http.HandlerFunc {
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	if _, err := io.CopyN(z, spaces{}, size); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(body.Bytes())
	}
}

// TestAnAnswerThatIsTooLargeIsCutOff, however it comes.
func TestAnAnswerThatIsTooLargeIsCutOff(t *testing.T) {
	for name, upstream := range map[string]http.HandlerFunc{
		"announced":  padded(2<<20, true),
		"chunked":    padded(2<<20, false),
		"compressed": compressed(t, 4<<20),
		"announced out of all measure": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9223372036854775807")
			w.WriteHeader(http.StatusOK)
		},
		"nearly all header": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Large", strings.Repeat("x", 1<<20))
			caddytest.Answering(200, largest)(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, upstream).URL), "max_answer 1MiB", "cache off")
			got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}")
			if got.Status != http.StatusBadGateway || got.Header.Get("Wsfev1-Outcome") != "upstream_error" || got.Codes(t)[0] != "upstream.too_large" {
				t.Errorf("%d %v %.300s", got.Status, got.Header, got.Body)
			}
			if r := s.Last(); r.Certainty != audit.Unknown || !strings.Contains(r.Detail, "too large") {
				t.Errorf("recorded %s, %q", r.Certainty, r.Detail)
			}
			s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight_ratio{kind="answers"}`: "0"})
		})
	}
}

// TestAnAnswerOfTheLargestSizePasses.
func TestAnAnswerOfTheLargestSizePasses(t *testing.T) {
	for _, announced := range []bool{true, false} {
		s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, padded(1<<20-1024, announced)).URL), "max_answer 1MiB", "max_answers 1MiB", "cache off")
		if got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); got.Status != 200 || len(got.Body) != 1<<20-1024 {
			t.Errorf("announced %v: %d, %d bytes", announced, got.Status, len(got.Body))
		}
		s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight_ratio{kind="answers"}`: "0"})
	}
}

// TestAnInvoiceWhoseAnswerIsTooLargeIsAskedAbout: it was issued, and the client is to know. The
// service's answer to the gateway's question is bounded too.
func TestAnInvoiceWhoseAnswerIsTooLargeIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		padded  string
		outcome string
	}{
		"the answer":             {"/FECAESolicitar", "recovered"},
		"all that it has to say": {"/FE", "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			behind := caddytest.FreeAddress(t)
			service := &httputil.ReverseProxy{
				Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: behind}) },
				ModifyResponse: func(r *http.Response) error {
					if strings.Contains(r.Request.URL.Path, c.padded) {
						r.Header.Del("Content-Length")
						r.ContentLength = -1
						r.Body = struct {
							io.Reader
							io.Closer
						}{io.MultiReader(r.Body, io.LimitReader(spaces{}, 2<<20)), r.Body}
					}
					return nil
				},
				Transport: &http.Transport{DisableKeepAlives: true},
			}
			upstream := caddytest.NewStub(t, service.ServeHTTP)
			s := caddytest.Start(t, "respond 503")
			options := append([]string{"max_answer 1MiB", "audit sqlite " + s.Store}, caddytest.Exactly...)
			s.Load(s.Config(strings.Join(options, "\n"), caddytest.ProxyTo(upstream.URL)) + caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), ""))
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.Header.Get("Wsfev1-Outcome") != c.outcome {
				t.Errorf("%d %v %.300s", got.Status, got.Header, got.Body)
			}
			if r := s.Last(); !strings.Contains(r.Detail, "too large") && c.outcome == "recovered" {
				t.Errorf("the record does not say what happened: %q", r.Detail)
			}
			s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight_ratio{kind="answers"}`: "0"})
		})
	}
}

// TestLargeAnswersAtWorkAreBounded: one too many is left on its connection and cut off, small
// ones pass, and there is room again when those before have been given.
func TestLargeAnswersAtWorkAreBounded(t *testing.T) {
	begun, proceed := make(chan struct{}, 16), make(chan struct{})
	release := sync.OnceFunc(func() { close(proceed) })
	t.Cleanup(release)
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte("   ")) {
			caddytest.Answering(200, largest)(w, r)
			return
		}
		const size = 400 << 10
		w.Header().Set("Content-Length", strconv.Itoa(size))
		_, _ = io.WriteString(w, largest)
		_ = http.NewResponseController(w).Flush()
		begun <- struct{}{}
		<-proceed
		_, _ = io.CopyN(w, spaces{}, int64(size-len(largest)))
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "max_answers 1MiB", "in_flight wait 20ms", "cache off")
	large := func() caddytest.Response { return s.Post("FECompTotXRequest", caddytest.LargeQuery(1000)) }
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			if got := large(); got.Status != 200 {
				t.Errorf("one of two: %d %.300s", got.Status, got.Body)
			}
		})
		<-begun
	}
	caddytest.Eventually(t, "two are at work", func() bool { // with their headers
		return strings.HasPrefix(s.Metric(`wsfev1_in_flight_ratio{kind="answers"}`), "0.78")
	})
	got := large()
	if got.Status != 503 || got.Codes(t)[0] != "gateway.answers" || got.Header.Get("Retry-After") == "" || got.Header.Get("Wsfev1-Outcome") != "busy" {
		t.Errorf("one too many: %d %v %.300s", got.Status, got.Header, got.Body)
	}
	if got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); got.Status != 200 {
		t.Errorf("a small one: %d %s", got.Status, got.Body)
	}
	release()
	group.Wait()
	s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight_ratio{kind="answers"}`: "0"})
	if got := large(); got.Status != 200 {
		t.Errorf("when there is room again: %d %.300s", got.Status, got.Body)
	}
}

// TestGiantAnswersDoNotStarveEachOther: each of them has some of the room when all of it is
// taken, and only some say how much they need.
func TestGiantAnswersDoNotStarveEachOther(t *testing.T) {
	var announced atomic.Int64
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) { padded(5<<18, announced.Add(1)%2 == 0)(w, r) })
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "max_answer 1536KiB", "max_answers 1536KiB", "in_flight wait 1m", "cache off")
	var group sync.WaitGroup
	for range 24 {
		group.Go(func() {
			if got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}"); got.Status != 200 || len(got.Body) != 5<<18 {
				t.Errorf("%d, %d bytes", got.Status, len(got.Body))
			}
		})
	}
	group.Wait()
	s.WantMetrics(t, "in the end", map[string]string{`wsfev1_in_flight_ratio{kind="answers"}`: "0"})
}

// TestAnswersTakeBoundedMemory, however many come at once, however large they are and
// whatever they hold: without a bound these take gigabytes.
func TestAnswersTakeBoundedMemory(t *testing.T) {
	clients := testrun.Whole(t, 12, 16)
	mebibyte := testrun.Whole[int64](t, 1<<18, 1<<20) // a quarter of one, so that it does not take long
	for name, c := range map[string]struct {
		begin, item string
		size, limit int64
	}{
		"too large":  {`{"Errors":{"Err":[{"Code":1,"Msg":"`, "x", 60 * mebibyte, 120 * mebibyte},
		"text":       {`{"Errors":{"Err":[{"Code":1,"Msg":"`, "x", 15 * mebibyte, 120 * mebibyte},
		"many items": {`{"ResultGet":{"PtoVenta":[{}`, ",{}", 15 * mebibyte, 120 * mebibyte},
	} {
		t.Run(name, func(t *testing.T) {
			upstream := caddytest.NewStub(t, func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, c.begin)
				_, _ = io.CopyN(w, &endless{[]byte(strings.Repeat(c.item, 1<<10))}, c.size)
			})
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "in_flight wait 2m", "cache off",
				fmt.Sprint("max_answer ", 16*mebibyte), fmt.Sprint("max_answers ", 16*mebibyte))
			server := s.Server()
			most := heapDuring(func() {
				var group sync.WaitGroup
				for range clients {
					group.Go(func() {
						r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/wsfev1/FEParamGetPtosVenta", strings.NewReader("{"+caddytest.AuthText+"}"))
						r.Header.Set("Content-Type", "application/json")
						server.ServeHTTP(discarding{http.Header{}}, r)
					})
				}
				group.Wait()
			})
			t.Logf("%d kB at most, for %d answers of %d kB; the limit is %d kB", most>>10, clients, c.size>>10, c.limit>>10)
			if most > uint64(c.limit) {
				t.Errorf("%d kB of memory", most>>10)
			}
		})
	}
}

// endless repeats a text.
type endless struct{ text []byte }

func (e *endless) Read(p []byte) (int, error) { return copy(p, e.text), nil }

// discarding is a client that keeps nothing.
type discarding struct{ header http.Header }

func (d discarding) Header() http.Header         { return d.header }
func (d discarding) Write(p []byte) (int, error) { return len(p), nil }
func (d discarding) WriteHeader(int)             {}

// heapDuring returns the largest growth of the live heap while something is done.
//
// Garbage does not count: there is the more of it the more the process holds besides, and the
// busier the machine is. The collector measures the live heap, and runs often meanwhile. It also
// counts all memory that is allocated while it runs, live or not, and on a busy machine it runs
// for long. So only memory that two of its cycles in a row have found counts.
func heapDuring(do func()) (most uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	held := func() (cycle, bytes uint64) {
		samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/gc/heap/live:bytes"}}
		metrics.Read(samples)
		return samples[0].Value.Uint64(), samples[1].Value.Uint64()
	}
	runtime.GC()
	cycle, before := held()
	last := before
	done := make(chan struct{})
	go func() { do(); close(done) }()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-done:
			return most
		case <-look.C:
			next, now := held()
			if next == cycle {
				continue
			}
			both := min(last, now)
			most, cycle, last = max(most, both-min(before, both)), next, now
		}
	}
}
