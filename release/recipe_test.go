package release_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// recipe is the part of GoReleaser's configuration that is used. Any other key is a mistake.
type recipe struct {
	Version     int
	ProjectName string `yaml:"project_name"`
	Before      struct{ Hooks []string }
	Metadata    struct {
		ModTimestamp string `yaml:"mod_timestamp"`
	}
	Builds []struct {
		ID, Main, Binary                        string
		Env, Flags, Ldflags, Tags, Goos, Goarch []string
		ModTimestamp                            string `yaml:"mod_timestamp"`
	}
	Archives []struct {
		IDs             []string
		Formats         []string
		FormatOverrides []struct {
			Goos    string
			Formats []string
		} `yaml:"format_overrides"`
		WrapInDirectory bool    `yaml:"wrap_in_directory"`
		BuildsInfo      written `yaml:"builds_info"`
		Files           []struct {
			Src         string
			StripParent bool `yaml:"strip_parent"`
			Info        written
		}
	}
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
		Algorithm    string
		ExtraFiles   []globbed `yaml:"extra_files"`
	}
	SBOMs []struct {
		Artifacts, Cmd  string
		Args, Documents []string
	}
	Signs []struct {
		Artifacts, Cmd, Signature string
		Args                      []string
	}
	NFPMs     []debianPackage
	Changelog struct{ Disable bool }
	Release   struct {
		GitHub     struct{ Owner, Name string }
		Draft      bool
		Prerelease string
		ExtraFiles []globbed `yaml:"extra_files"`
	}
}

// written is how a file is written into an archive or a package.
type written struct {
	Mtime, Owner, Group string
	Mode                int
}

type globbed struct{ Glob string }

type debianPackage struct {
	PackageName                                                         string `yaml:"package_name"`
	IDs, Formats, Recommends                                            []string
	Vendor, Maintainer, Homepage, Description, License, Section, Bindir string
	Mtime                                                               string
	Contents                                                            []struct {
		Src, Dst, Type string
		FileInfo       written `yaml:"file_info"`
	}
	Scripts struct{ Postinstall, Preremove, Postremove string }
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readRecipe(t *testing.T) (r recipe) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(read(t, "release/goreleaser.yaml"))))
	decoder.KnownFields(true)
	if err := decoder.Decode(&r); err != nil {
		t.Fatal(err)
	}
	if r.Version != 2 || len(r.Builds) != 1 || len(r.Archives) != 1 || len(r.NFPMs) != 1 {
		t.Fatalf("%+v", r)
	}
	return r
}

// madeByHook are the files of a release that are not in the repository: release/parts makes them.
var madeByHook = []string{"release/third-party.txt", "release/changelog.gz"}

// exists fails where a file is not in the repository and no hook makes it.
func exists(t *testing.T, file string) {
	t.Helper()
	if slices.Contains(madeByHook, file) {
		return
	}
	if found, err := filepath.Glob(filepath.Join("..", file)); err != nil || len(found) == 0 {
		t.Errorf("there is no %s", file)
	}
}

// TestBinariesAreBuiltAsXcaddyBuildsThem, for all platforms, without cgo, and with the version that
// the go command knows.
func TestBinariesAreBuiltAsXcaddyBuildsThem(t *testing.T) {
	r := readRecipe(t)
	build := r.Builds[0]
	tags := regexp.MustCompile(`(?m)^tags=(\S+)`).FindStringSubmatch(read(t, ".ci/run"))[1]
	for name, pair := range map[string][2]string{
		"goos":    {strings.Join(build.Goos, " "), "linux darwin windows freebsd"},
		"goarch":  {strings.Join(build.Goarch, " "), "amd64 arm64"},
		"env":     {strings.Join(build.Env, " "), "CGO_ENABLED=0 GOFLAGS="},
		"flags":   {strings.Join(build.Flags, " "), "-trimpath -buildvcs=true"},
		"ldflags": {strings.Join(build.Ldflags, " "), "-s -w"},
		"tags":    {strings.Join(build.Tags, ","), tags},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", name, pair[0], pair[1])
		}
	}
	exists(t, build.Main+"/main.go")
	for _, ids := range [][]string{r.Archives[0].IDs, r.NFPMs[0].IDs} {
		if !slices.Equal(ids, []string{build.ID}) {
			t.Errorf("%v are no builds", ids)
		}
	}
	if !r.Release.Draft || !r.Changelog.Disable {
		t.Error("a release would be published by itself, or with another list of changes")
	}
}

// TestTheCommandLineOfThePageIsThatOfTheRecipe: it gives a stranger the same bytes.
func TestTheCommandLineOfThePageIsThatOfTheRecipe(t *testing.T) {
	build, page := readRecipe(t).Builds[0], read(t, "docs/verify-release.md")
	want := "GOOS=$OS GOARCH=$ARCH " + strings.Join(build.Env, " ") + " go build " + strings.Join(build.Flags, " ") + " -tags " + strings.Join(build.Tags, ",") +
		" -ldflags '" + strings.Join(build.Ldflags, " ") + "' -o \"$REBUILT/$OS-$ARCH/\" " + build.Main
	if got := strings.ReplaceAll(page, "\\\n\t", ""); !strings.Contains(got, want+"\n") {
		t.Errorf("the page does not have\n%s", want)
	}
}

// TestEveryReleasedFileIsThere, and the licences are in all that is released.
func TestEveryReleasedFileIsThere(t *testing.T) {
	r := readRecipe(t)
	var archive, deb []string
	for _, f := range r.Archives[0].Files {
		archive = append(archive, f.Src)
	}
	for _, f := range r.NFPMs[0].Contents {
		deb = append(deb, f.Src)
	}
	for name, files := range map[string][]string{"archive": archive, "Debian package": deb} {
		for _, file := range files {
			exists(t, file)
		}
		for _, file := range []string{"LICENSE", "NOTICE", "release/third-party.txt", "Caddyfile.example", "docs/*", "grafana/dashboards/*"} {
			if !slices.Contains(files, file) {
				t.Errorf("%s is not in the %s", file, name)
			}
		}
	}
	for _, file := range []string{"README.md", "CHANGELOG.md", "grafana/prometheus/**", "grafana/deploy/**"} {
		if !slices.Contains(archive, file) {
			t.Errorf("%s is not in the archive", file)
		}
	}
	if !slices.ContainsFunc(r.Before.Hooks, func(hook string) bool { return strings.HasPrefix(hook, "bash release/parts {{ .Version }}") }) {
		t.Errorf("no hook makes %s: %q", madeByHook, r.Before.Hooks)
	}
	for _, file := range madeByHook {
		if !slices.Contains(strings.Fields(read(t, ".gitignore")), "/"+file) || !strings.Contains(read(t, "release/parts"), ">"+file) {
			t.Errorf("%s is not made, or makes the clone a changed one", file)
		}
	}
}

// TestNothingInAReleaseHasTheTimeOfItsMaking, nor the owner or mode that a file has on that machine.
func TestNothingInAReleaseHasTheTimeOfItsMaking(t *testing.T) {
	const date, stamp = "{{ .CommitDate }}", "{{ .CommitTimestamp }}"
	r := readRecipe(t)
	archive, deb := r.Archives[0], r.NFPMs[0]
	if r.Metadata.ModTimestamp != stamp || r.Builds[0].ModTimestamp != stamp || deb.Mtime != date {
		t.Error("something has the time at which it was made")
	}
	if want := (written{date, "root", "root", 0o755}); archive.BuildsInfo != want {
		t.Errorf("the program is archived as %+v", archive.BuildsInfo)
	}
	for _, f := range archive.Files {
		if want := (written{date, "root", "root", 0o644}); f.Info != want {
			t.Errorf("%s is archived as %+v", f.Src, f.Info)
		}
	}
	for _, f := range deb.Contents {
		if want := (written{Mtime: date, Mode: 0o644}); f.FileInfo != want {
			t.Errorf("%s is packed as %+v", f.Src, f.FileInfo)
		}
	}
	for _, flag := range []string{"-noserial", "-notimestamp"} {
		if !slices.Contains(r.SBOMs[0].Args, flag) {
			t.Errorf("the list of what is inside is made without %s", flag)
		}
	}
}

// TestMaintainerHasAnAddress, as Debian's policy asks for.
func TestMaintainerHasAnAddress(t *testing.T) {
	if maintainer := readRecipe(t).NFPMs[0].Maintainer; !regexp.MustCompile(`^.+ <[^@<> ]+@[^@<> ]+\.[a-z]+>$`).MatchString(maintainer) {
		t.Errorf("the maintainer is %q", maintainer)
	}
}
