package release_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one of a Dockerfile, its arguments on one line.
type instruction struct{ name, arguments string }

// stage is the part of a Dockerfile between one FROM and the next.
type stage struct {
	base, name   string
	instructions []instruction
}

// known are the instructions that Docker has and that are used here.
var known = strings.Fields("ARG FROM COPY RUN ENV VOLUME WORKDIR USER EXPOSE HEALTHCHECK STOPSIGNAL ENTRYPOINT CMD")

// stages parses the Dockerfile. What stands before the first FROM is a stage without a base.
func stages(t *testing.T) []stage {
	t.Helper()
	text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(read(t, "grafana/deploy/Dockerfile"), "")
	all := []stage{{}}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		name, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == "":
			continue
		case !slices.Contains(known, name):
			t.Errorf("there is no instruction %s", name)
		case name == "FROM":
			base, as, _ := strings.Cut(arguments, " AS ")
			all = append(all, stage{base: base, name: as})
			continue
		}
		last := &all[len(all)-1]
		last.instructions = append(last.instructions, instruction{name, strings.Join(strings.Fields(arguments), " ")})
	}
	return all
}

// of returns the arguments of all instructions of a name.
func (s stage) of(name string) (all []string) {
	for _, i := range s.instructions {
		if i.name == name {
			all = append(all, i.arguments)
		}
	}
	return all
}

// TestStagesOfTheImage: each begins with an image of a version, and copies files of the repository.
func TestStagesOfTheImage(t *testing.T) {
	versioned := regexp.MustCompile(`^[a-z]+:\d+\.\d+(\.\d+-builder)?$`)
	var above []string
	for _, s := range stages(t)[1:] {
		if !versioned.MatchString(s.base) {
			t.Errorf("%q is no image with a version", s.base)
		}
		for _, copied := range s.of("COPY") {
			fields := strings.Fields(copied)
			if from, found := strings.CutPrefix(fields[0], "--from="); found {
				if !slices.Contains(above, from) {
					t.Errorf("COPY %s: there is no such stage above", copied)
				}
				continue
			}
			for _, source := range fields[:len(fields)-1] {
				exists(t, source)
			}
		}
		above = append(above, s.name)
	}
}

// TestImageRunsAsNobodySpecial, says where its data is, which ports it has, and whether it
// serves.
func TestImageRunsAsNobodySpecial(t *testing.T) {
	all := stages(t)
	last := all[len(all)-1]
	for name, want := range map[string]string{
		"USER": "10001:10001", "VOLUME": "/var/lib/fielato", "WORKDIR": "/var/lib/fielato", "EXPOSE": "8080 2020",
		"ENTRYPOINT": `["/usr/bin/fielato"]`, "CMD": `["run", "--config", "/etc/fielato/Caddyfile"]`,
	} {
		if got := strings.Join(last.of(name), "; "); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(last.of("HEALTHCHECK")) != 1 {
		t.Error("the image does not say whether it serves")
	}
}
