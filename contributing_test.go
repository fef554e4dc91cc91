package fielato_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	goTest     = regexp.MustCompile(`go test (\./[\w/]+)(?: -run (\w+))?`)
	testName   = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	pathLike   = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+$`)
	introduced = regexp.MustCompile(`(?m)^## (A|An) (rule|metric|command|option of the Caddyfile|operation|release)$`)
)

// TestContributingNamesWhatIsThere: files, packages and tests. What it sends people to look
// for moves now and then.
func TestContributingNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(introduced.FindAllString(string(text), -1)); n != 6 {
		t.Errorf("%d ways to add something are described, want 6", n)
	}
	tests := map[string][]string{} // by folder
	var every string
	for _, s := range sources(t) {
		content, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range testName.FindAllStringSubmatch(string(content), -1) {
			tests[s.folder] = append(tests[s.folder], found[1])
			every += found[1] + "\n"
		}
	}
	paths := 0
	for _, span := range codeSpan.FindAllStringSubmatch(string(text), -1) {
		switch name := span[1]; {
		case pathLike.MatchString(name):
			paths++
			if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
				t.Error(err)
			}
		case strings.HasPrefix(name, "Test") && !strings.Contains(every, name+"\n"):
			t.Errorf("there is no %s", name)
		}
	}
	for _, command := range goTest.FindAllStringSubmatch(string(text), -1) {
		folder := strings.TrimSuffix(strings.TrimPrefix(command[1], "./"), "/")
		if _, err := os.Stat(folder); err != nil {
			t.Errorf("%s: %v", command[0], err)
		}
		if command[2] != "" && !strings.Contains(strings.Join(tests[folder], "\n"), command[2]) {
			t.Errorf("%s runs nothing", command[0])
		}
	}
	if paths < 25 {
		t.Errorf("only %d paths", paths)
	}
}
