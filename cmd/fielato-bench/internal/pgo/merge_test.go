package pgo

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// write writes profiles into a folder and returns its name.
func write(t *testing.T, profiles ...*profile.Profile) string {
	t.Helper()
	folder := t.TempDir()
	for i, p := range profiles {
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, string(rune('a'+i))+".pprof"), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestMergedProfilesHaveWhatTheCompilerReads, and nothing of the machine.
func TestMergedProfilesHaveWhatTheCompilerReads(t *testing.T) {
	one, two := profileOf(map[string]int64{"m.Do": 3}), profileOf(map[string]int64{"m.Do": 4, "m.Other": 5})
	one.TimeNanos = 1e18
	two.Sample[0].Location[0].Address++ // the same line, at another address
	file := filepath.Join(t.TempDir(), "default.pgo")
	if err := MergeFolder(write(t, one, two), file, "made by a test"); err != nil {
		t.Fatal(err)
	}
	p, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := p.String(); strings.Contains(text, "/home/") || strings.Contains(text, "record") || strings.Contains(text, "Time:") {
		t.Error(text)
	}
	if len(p.Comments) != 1 || p.Comments[0] != "made by a test" || len(p.SampleType) != 1 || p.SampleType[0].Type != "samples" {
		t.Errorf("%v, %v", p.Comments, p.SampleType)
	}
	counts := map[string]int64{}
	for _, s := range p.Sample {
		var stack []string
		for _, l := range s.Location {
			if l.Line[0].Function.StartLine != 10 || l.Line[0].Line < 11 || l.Address != 0 {
				t.Errorf("%+v in %+v", l.Line[0], l)
			}
			stack = append(stack, l.Line[0].Function.Name)
		}
		counts[strings.Join(stack, " ")] += s.Value[0]
	}
	if len(p.Sample) != 2 || counts["runtime.mallocgc m.Do main.main"] != 7 || counts["runtime.mallocgc m.Other main.main"] != 5 {
		t.Errorf("%d stacks: %v", len(p.Sample), counts)
	}
}

// TestTheSameProfilesGiveTheSameBytes, so that a build is told apart by its inputs alone.
func TestTheSameProfilesGiveTheSameBytes(t *testing.T) {
	folder := write(t, profileOf(map[string]int64{"m.Do": 3}), profileOf(map[string]int64{"m.Other": 5}))
	var made [2][]byte
	for i := range made {
		file := filepath.Join(t.TempDir(), "default.pgo")
		if err := MergeFolder(folder, file, "made by a test"); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		made[i] = content
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("they differ")
	}
}

func TestWhatCannotBeMerged(t *testing.T) {
	heap := profileOf(map[string]int64{"m.Do": 1})
	heap.SampleType[0].Type = "alloc_objects"
	text := t.TempDir()
	if err := os.WriteFile(filepath.Join(text, "text.pprof"), []byte("no profile"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, folder := range map[string]string{
		"no profiles":        t.TempDir(),
		"measure for longer": write(t, profileOf(nil)),
		"no CPU profile":     write(t, heap),
		"text.pprof":         text,
	} {
		to := filepath.Join(t.TempDir(), "default.pgo")
		if err := MergeFolder(folder, to, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
		if _, err := os.Stat(to); err == nil {
			t.Errorf("%s: a file was written", want)
		}
	}
}
