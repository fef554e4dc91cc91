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
	Builds      []struct {
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
		WrapInDirectory bool `yaml:"wrap_in_directory"`
		Files           []archived
	}
	Checksum struct {
		NameTemplate string `yaml:"name_template"`
		Algorithm    string
	}
	SBOMs     []struct{ Artifacts string }
	NFPMs     []debianPackage
	DockersV2 []struct {
		IDs, Images, Tags, Platforms []string
		Dockerfile                   string
		BuildArgs                    map[string]string `yaml:"build_args"`
		ExtraFiles                   []string          `yaml:"extra_files"`
		Labels                       map[string]string
	} `yaml:"dockers_v2"`
	Changelog struct{ Disable bool }
	Release   struct {
		Draft      bool
		Prerelease string
	}
}

type debianPackage struct {
	PackageName                                                         string `yaml:"package_name"`
	IDs, Formats, Recommends                                            []string
	Vendor, Maintainer, Homepage, Description, License, Section, Bindir string
	Contents                                                            []struct{ Src, Dst, Type string }
	Scripts                                                             struct{ Postinstall, Preremove, Postremove string }
}

// archived is a file of an archive: its name, or a name and how it is put there.
type archived struct {
	Src         string
	StripParent bool `yaml:"strip_parent"`
}

func (a *archived) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&a.Src)
	}
	type plain archived
	return node.Decode((*plain)(a))
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
	if r.Version != 2 || len(r.Builds) != 1 || len(r.Archives) != 1 || len(r.NFPMs) != 1 || len(r.DockersV2) != 1 {
		t.Fatalf("%+v", r)
	}
	return r
}

// madeByHook is the one file of a release that is not in the repository.
const madeByHook = "release/third-party.txt"

// exists fails where a file is not in the repository and no hook makes it.
func exists(t *testing.T, file string) {
	t.Helper()
	if file == madeByHook {
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
		"env":     {strings.Join(build.Env, " "), "CGO_ENABLED=0"},
		"flags":   {strings.Join(build.Flags, " "), "-trimpath -buildvcs=true"},
		"ldflags": {strings.Join(build.Ldflags, " "), "-s -w"},
		"tags":    {strings.Join(build.Tags, ","), tags},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", name, pair[0], pair[1])
		}
	}
	exists(t, build.Main+"/main.go")
	for _, ids := range [][]string{r.Archives[0].IDs, r.NFPMs[0].IDs, r.DockersV2[0].IDs} {
		if !slices.Equal(ids, []string{build.ID}) {
			t.Errorf("%v are no builds", ids)
		}
	}
	if !r.Release.Draft || !r.Changelog.Disable {
		t.Error("a release would be published by itself, or with another list of changes")
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
	for name, files := range map[string][]string{"archive": archive, "Debian package": deb, "image": r.DockersV2[0].ExtraFiles} {
		for _, file := range files {
			exists(t, file)
		}
		for _, file := range []string{"LICENSE", "NOTICE", madeByHook} {
			if !slices.Contains(files, file) {
				t.Errorf("%s is not in the %s", file, name)
			}
		}
	}
	for _, file := range []string{"README.md", "Caddyfile.example"} {
		if !slices.Contains(archive, file) {
			t.Errorf("%s is not in the archive", file)
		}
	}
	if !slices.Contains(r.Before.Hooks, `sh -c "go run ./release/licenses > `+madeByHook+`"`) {
		t.Errorf("no hook makes %s: %q", madeByHook, r.Before.Hooks)
	}
	if !slices.Contains(strings.Fields(read(t, ".gitignore")), "/"+madeByHook) {
		t.Errorf("%s makes the clone a changed one", madeByHook)
	}
}
