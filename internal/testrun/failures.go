package testrun

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
)

const (
	// maxLine is how much of a line is looked at, in bytes; maxSeen is how much is shown of what a
	// test has printed.
	maxLine = 4 << 10
	maxSeen = 600
	// maxTexts is how many texts of a test are shown. The first alone may be one of t.Log, which
	// looks the same.
	maxTexts = 3
)

var (
	// about begins what a test prints: with -v its name stands before, otherwise behind its result.
	about = regexp.MustCompile(`^=== (?:RUN|CONT|NAME) +(\S+)$`)
	ended = regexp.MustCompile(`^( *)--- (PASS|FAIL|SKIP): (\S+) \(`)
	// seen is the first line of what t.Error, t.Log and their like print.
	seen = regexp.MustCompile(`^ +(\S+\.go:\d+: .*)$`)
)

// failures reads the output of a package's tests, and keeps the first texts of each that fails.
type failures struct {
	line  []byte // the one that is being written
	test  string // the test that the output is about
	texts map[string][]string
	names []string // of those that have failed, in the order of their results
}

// Write implements io.Writer. It never fails.
func (f *failures) Write(printed []byte) (int, error) {
	for rest := printed; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		f.line = append(f.line, part[:min(len(part), maxLine-len(f.line))]...)
		if whole {
			f.read(strings.TrimSuffix(string(f.line), "\r"))
			f.line = f.line[:0]
		}
		rest = after
	}
	return len(printed), nil
}

func (f *failures) read(line string) {
	if m := about.FindStringSubmatch(line); m != nil {
		f.test = m[1]
	} else if m := ended.FindStringSubmatch(line); m != nil && len(m[1]) <= 4*strings.Count(m[3], "/") { // else a test quotes it
		f.test = m[3]
		if m[2] == "FAIL" {
			f.names = append(f.names, f.test)
		} else {
			delete(f.texts, f.test)
		}
	} else if had, m := f.texts[f.test], seen.FindStringSubmatch(line); m != nil && len(had) < maxTexts {
		if f.texts == nil {
			f.texts = map[string][]string{}
		}
		f.texts[f.test] = append(had, m[1])
	} else if n := len(had); n > 0 && strings.HasSuffix(had[n-1], ": ") && strings.TrimSpace(line) != "" {
		had[n-1] += strings.TrimSpace(line) // the text began with an empty line
	}
}

// print writes a line for each test that has failed. A test that has seen nothing itself, and
// failed because of its subtests, has none.
func (f *failures) print(w io.Writer) {
	for i, name := range f.names {
		saw := strings.Join(f.texts[name], "; ")
		// The result of a test comes before its subtests' results without -v, and after them with -v.
		if saw == "" && (i+1 < len(f.names) && within(name, f.names[i+1]) || i > 0 && within(name, f.names[i-1])) {
			continue
		}
		if len(saw) > maxSeen {
			saw = strings.ToValidUTF8(saw[:maxSeen], "") + "…"
		}
		fmt.Fprintln(w, strings.TrimSuffix("--- FAIL: "+name+": "+saw, ": "))
	}
}

// within reports whether a test is a subtest of another.
func within(parent, test string) bool { return strings.HasPrefix(test, parent+"/") }
