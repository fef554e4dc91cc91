package pgo

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/pprof/profile"
)

// sources has a function of each kind. Tests and testdata do not count.
var sources = fstest.MapFS{
	"root.go": {Data: []byte("package m\n\nfunc Root() {}\n")},
	"inner/inner.go": {Data: []byte(`package inner

type box[T any] struct{}

type pair[K comparable, V any] struct{}

type reader struct{}

var table = func() int { return 1 }()

func Do()              {}
func generic[T any]()  {}
func (reader) value()  {}
func (*reader) star()  {}
func (*box[T]) put()   {}
func (pair[K, V]) get() {}
`)},
	"inner/inner_test.go":      {Data: []byte("package inner\n\nfunc ofTests() {}\n")},
	"inner/testdata/broken.go": {Data: []byte("no code\n")},
	".hidden/broken.go":        {Data: []byte("no code\n")},
}

// TestFunctionsAreKnownByTheirNamesInProfiles, in each form that the runtime writes.
func TestFunctionsAreKnownByTheirNamesInProfiles(t *testing.T) {
	f, err := FunctionsOf(sources, "example.com/m")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"example.com/m.Root":                                                  true,
		"example.com/m/inner.Do":                                              true,
		"example.com/m/inner.Do.func1":                                        true,
		"example.com/m/inner.Do.Gone.func2":                                   true, // inlined into Do
		"example.com/m/inner.Do.deferwrap1":                                   true,
		"example.com/m/inner.generic[go.shape.[]uint8]":                       true,
		"example.com/m/inner.generic[go.shape.*example.com/other.T].2":        true,
		"example.com/m/inner.reader.value":                                    true,
		"example.com/m/inner.(*reader).value":                                 true,
		"example.com/m/inner.(*reader).star":                                  true,
		"example.com/m/inner.(*reader).star-fm":                               true,
		"example.com/m/inner.(*box[...]).put":                                 true,
		"example.com/m/inner.pair[go.shape.string,go.shape.[2]int].get.func1": true,
		"example.com/m/inner.init.func1":                                      true,
		"example.com/m/inner.glob..func1":                                     true,

		"example.com/m/inner.Root":           false,
		"example.com/m/inner.Done":           false,
		"example.com/m/inner.star":           false,
		"example.com/m/inner.(*reader).gone": false,
		"example.com/m/inner.ofTests":        false,
		"example.com/m/other.Do":             false,
		"example.com/m.init":                 false,
	} {
		p := profileOf(map[string]int64{name: 1})
		if share, gone := f.Stale(p); (share == 0) != want || (len(gone) == 0) != want {
			t.Errorf("%s: %v of it is stale: %v", name, share, gone)
		}
	}
}

// profileOf has a stack of each function: a function of another module that it calls, itself, and a caller.
func profileOf(samples map[string]int64) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	location := func(name string, line int64) *profile.Location {
		f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, Filename: "/home/somebody/code.go", StartLine: 10}
		p.Function = append(p.Function, f)
		l := &profile.Location{ID: f.ID, Address: 0x1000 * f.ID, Line: []profile.Line{{Function: f, Line: line}}}
		p.Location = append(p.Location, l)
		return l
	}
	callee, caller := location("runtime.mallocgc", 11), location("main.main", 12)
	for name, count := range samples {
		p.Sample = append(p.Sample, &profile.Sample{
			Location: []*profile.Location{callee, location(name, 13), caller}, Value: []int64{count, count * 1e7},
			Label: map[string][]string{"record": {"a"}},
		})
	}
	return p
}

// TestWhatIsGoneCountsBySamples, and code of others does not count.
func TestWhatIsGoneCountsBySamples(t *testing.T) {
	f, err := FunctionsOf(sources, "example.com/m")
	if err != nil {
		t.Fatal(err)
	}
	share, gone := f.Stale(profileOf(map[string]int64{
		"example.com/m.Root": 6, "example.com/m/inner.gone": 1, "example.com/m/old.gone": 1, "example.com/more.Gone": 100,
	}))
	if share != 0.25 || !slices.Equal(gone, []string{"example.com/m/inner.gone", "example.com/m/old.gone"}) {
		t.Errorf("%v of it is stale: %v", share, gone)
	}
	if share, _ := f.Stale(profileOf(map[string]int64{"example.com/more.Do": 1})); share != 1 {
		t.Errorf("%v of a profile of another module is stale", share)
	}
}

// TestAPromotedMethodIsNotGone: a page of the console embeds its frame, and the compiler writes the method that calls
// the frame's own. No source declares it.
func TestAPromotedMethodIsNotGone(t *testing.T) {
	f, err := FunctionsOf(sources, "example.com/m")
	if err != nil {
		t.Fatal(err)
	}
	p := profileOf(map[string]int64{"example.com/m/inner.(*reader).promoted": 1, "example.com/m.Root": 1})
	for _, function := range p.Function {
		if function.Name == "example.com/m/inner.(*reader).promoted" {
			function.Filename = "<autogenerated>"
		}
	}
	if share, gone := f.Stale(p); share != 0 || len(gone) > 0 {
		t.Errorf("%v of it is stale: %v", share, gone)
	}
}

func TestSourcesThatCannotBeReadAreAnError(t *testing.T) {
	if _, err := FunctionsOf(fstest.MapFS{"a.go": {Data: []byte("no code")}}, "example.com/m"); err == nil {
		t.Error("there is none")
	}
}
