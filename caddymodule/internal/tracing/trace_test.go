package tracing

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	exampleTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	exampleParent = "00-" + exampleTrace + "-00f067aa0ba902b7-01"
)

// TestTraceparentIsReadStrictly: a header that is not valid by Trace Context names no trace, so
// that none of a client's text is recorded but hexadecimal digits.
func TestTraceparentIsReadStrictly(t *testing.T) {
	zeros := strings.Repeat("0", 32)
	for text, want := range map[string]string{
		exampleParent: exampleTrace,
		"00-" + exampleTrace + "-00f067aa0ba902b7-00":      exampleTrace,
		"00-" + exampleTrace + "-00f067aa0ba902b7-ff":      exampleTrace,
		"01-" + exampleTrace + "-00f067aa0ba902b7-01":      exampleTrace,
		"cc-" + exampleTrace + "-00f067aa0ba902b7-01-what": exampleTrace,
		"cc-" + exampleTrace + "-00f067aa0ba902b7-01-":     exampleTrace,

		"":                      "",
		exampleTrace:            "",
		exampleParent + "-what": "", // version 00 has four fields
		exampleParent + "1":     "",
		exampleParent[:54]:      "",
		" " + exampleParent:     "",
		"cc-" + exampleTrace + "-00f067aa0ba902b7-01.what":                   "",
		"ff-" + exampleTrace + "-00f067aa0ba902b7-01":                        "",
		"0g-" + exampleTrace + "-00f067aa0ba902b7-01":                        "",
		"0A-" + exampleTrace + "-00f067aa0ba902b7-01":                        "",
		"00-" + zeros + "-00f067aa0ba902b7-01":                               "",
		"00-" + exampleTrace + "-0000000000000000-01":                        "",
		"00-" + exampleTrace + "-00f067aa0ba902b7-0x":                        "",
		"00-" + exampleTrace + "-00f067aa0ba902B7-01":                        "",
		"00-" + strings.ToUpper(exampleTrace) + "-00f067aa0ba902b7-01":       "",
		"00-" + strings.Replace(exampleTrace, "4", "<", 1) + "-00f067aa0-01": "",
		"00_" + exampleTrace + "_00f067aa0ba902b7_01":                        "",
		"00-" + exampleTrace[:31] + "é-00f067aa0ba902b7-01":                  "",
	} {
		if got := parseTraceparent(text).String(); got != want {
			t.Errorf("%q: trace %q, want %q", text, got, want)
		}
	}
}

// TestTraceparentIsGivenOnce: of two, nobody knows which the service will take.
func TestTraceparentIsGivenOnce(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.Header.Add("traceparent", exampleParent)
	if got := TraceOf(r).String(); got != exampleTrace {
		t.Errorf("trace %q", got)
	}
	r.Header.Add("traceparent", exampleParent)
	if got := TraceOf(r); !got.IsZero() {
		t.Errorf("two headers: trace %s", got)
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add(exampleParent)
	f.Add("cc-" + exampleTrace + "-00f067aa0ba902b7-01-what")
	f.Fuzz(func(t *testing.T, text string) {
		if id := parseTraceparent(text).String(); id != "" && text[3:35] != id {
			t.Errorf("%q: trace %s", text, id)
		}
	})
}

// walk takes a request through all that spans add to an exchange.
func walk(r *http.Request) {
	var s Spans
	TraceOf(r)
	r = s.Begin(r, "wsfev1")
	for _, step := range []string{"admit", "understand", "judge", "decide", "cache", "turn", "breaker", "forward"} {
		s.Enter(step)
	}
	s.Within(r.Context())
	s.SetTraceparent(r.Header)
	s.Leave()
	if s.Recorded() {
		s.End("")
	}
}

// TestTracingThatIsOffAllocatesNothing: nearly nobody has it on.
func TestTracingThatIsOffAllocatesNothing(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	if n := testing.AllocsPerRun(100, func() { walk(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkTracing measures what an exchange pays for the spans that it does not have.
func BenchmarkTracing(b *testing.B) {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	b.ReportAllocs()
	for b.Loop() {
		walk(r)
	}
}
