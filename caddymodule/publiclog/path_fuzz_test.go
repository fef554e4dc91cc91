package publiclog

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// shape is the path of a tile as C2SP's tlog-tiles writes it.
var shape = regexp.MustCompile(`^tile/(0|[1-9][0-9]?)/((?:x[0-9]{3}/)*[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?$`)

// spell writes the path of a tile anew.
func spell(at tileAt) string {
	number := fmt.Sprintf("%03d", at.n%1000)
	for n := at.n / 1000; n > 0; n /= 1000 {
		number = fmt.Sprintf("x%03d/%s", n%1000, number)
	}
	path := fmt.Sprintf("tile/%d/%s", at.level, number)
	if at.width < 256 {
		path += fmt.Sprintf(".p/%d", at.width)
	}
	return path
}

// FuzzParseTile: a tile has one spelling, and each spelling of C2SP's is read.
func FuzzParseTile(f *testing.F) {
	for _, seed := range []string{
		"tile/0/000", "tile/3/x001/x234/067", "tile/3/x001/x234/067.p/8", "tile/0/x000/001", "tile/63/999.p/255", "tile/64/000", "tile/0/000.p/256",
		"tile/entries/000", "tile/data/000", "tile/0/x009/x223/x372/x036/x854/x775/807", "tile/0/x018/x446/x744/x073/x709/x551/616", "tile//000", "tile/0/1e0", "tile/+1/000", "tile/0/+01",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		at, ok := parseTile(path)
		if ok {
			if again := spell(at); again != path {
				t.Fatalf("%q is read as %+v, which is %q", path, at, again)
			}
			if at.width < 1 || at.width > 256 || at.level > 63 {
				t.Fatalf("%q is read as %+v", path, at)
			}
			return
		}
		if parts := shape.FindStringSubmatch(path); parts != nil {
			level, _ := strconv.Atoi(parts[1])
			width, _ := strconv.Atoi(parts[3])
			_, err := strconv.ParseInt(strings.NewReplacer("x", "", "/", "").Replace(parts[2]), 10, 64)
			if level < 64 && width < 256 && err == nil && !strings.HasPrefix(parts[2], "x000") {
				t.Fatalf("%q is not read", path)
			}
		}
	})
}
