package fielato_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	module = "github.com/fielato/fielato"
	caddy  = "github.com/caddyserver/caddy"
)

// mayImport says which packages of the module each package may import; a rule for
// a folder holds for the folders in it that have none of their own. The arrows run
// one way: cmd → caddymodule → {once, validate, audit, backend} → wsfev1.
var mayImport = map[string][]string{
	".":                              {"caddymodule"},
	"cmd":                            {".", "caddymodule/command", "internal/version"},
	"cmd/fielato-bench":              {".", "wsfev1/openapi"},
	"caddymodule":                    {"caddymodule/admin", "caddymodule/arca", "caddymodule/command", "caddymodule/console", "caddymodule/gateway", "caddymodule/login", "caddymodule/simulator", "caddymodule/stores"},
	"caddymodule/outcome":            {"wsfev1"},
	"caddymodule/judge":              {"caddymodule/binding", "caddymodule/forms", "caddymodule/rulebook", "audit/redact", "validate", "validate/rules", "wsfev1", "wsfev1/soap", "wsfev1/soap/xmlscan"},
	"caddymodule/rulebook":           {"caddymodule/app", "validate", "validate/rules", "wsfev1"},
	"caddymodule/layout":             {"caddymodule/local", "wsaa/credential"},
	"caddymodule/local":              {},
	"caddymodule/fill":               {"validate", "wsfev1"},
	"caddymodule/ports":              {},
	"caddymodule/app":                {"caddymodule/directive", "caddymodule/layout", "caddymodule/metrics", "caddymodule/ports", "wsfev1", "internal/panics"},
	"caddymodule/outage":             {"caddymodule/outcome", "caddymodule/metrics", "audit", "wsfev1"},
	"caddymodule/checkpoint":         {"caddymodule/app", "caddymodule/metrics", "audit", "wsfev1", "internal/durable", "internal/panics", "caddymodule/directive"},
	"caddymodule/binding":            {"caddymodule/origin", "caddymodule/outcome", "once", "audit", "validate", "wsfev1", "internal/limit", "internal/panics", "wsfev1/soap", "wsfev1/soap/wsdl", "wsfev1/soap/xmlscan", "internal/nearest"},
	"caddymodule/arca":               {"caddymodule/binding", "caddymodule/directive", "caddymodule/legacytls", "caddymodule/metrics", "validate", "wsfev1", "wsfev1/soap", "wsfev1/soap/ticket", "wsfev1/soap/xmlscan"},
	"caddymodule/backup":             {"audit", "internal/durable"},
	"caddymodule/keyfile":            {"internal/durable"},
	"caddymodule/sentinel":           {"caddymodule/metrics", "once", "audit", "internal/durable", "internal/panics"},
	"caddymodule/legacytls":          {},
	"caddymodule/origin":             {},
	"caddymodule/contentkey":         {"caddymodule/directive", "caddymodule/keyfile", "audit"},
	"caddymodule/trail":              {"internal/durable", "caddymodule/contentkey", "caddymodule/app", "caddymodule/backup", "caddymodule/sentinel", "caddymodule/checkpoint", "caddymodule/directive", "caddymodule/keyfile", "caddymodule/metrics", "caddymodule/outage", "caddymodule/outcome", "audit", "audit/redact", "once", "internal/cache", "wsfev1", "internal/panics"},
	"caddymodule/login":              {"caddymodule/app", "caddymodule/directive", "caddymodule/keyfile", "caddymodule/metrics", "caddymodule/origin", "wsfev1", "wsaa"},
	"caddymodule/spanish":            {"wsfev1"},
	"caddymodule/evidence":           {"caddymodule/spanish", "caddymodule/command/view", "caddymodule/outage", "caddymodule/outcome", "caddymodule/trail", "once", "audit", "wsfev1", "wsfev1/qr", "internal/durable", "internal/strictjson"},
	"caddymodule/console":            {"caddymodule/contentkey", "caddymodule/app", "caddymodule/checkpoint", "caddymodule/console/exchange", "caddymodule/console/outages", "caddymodule/console/proof", "caddymodule/console/search", "caddymodule/console/site", "caddymodule/console/today", "caddymodule/directive", "caddymodule/layout", "caddymodule/trail", "audit", "caddymodule/console/catalogue", "caddymodule/console/tryit", "caddymodule/rulebook"},
	"caddymodule/console/exchange":   {"caddymodule/command/view", "caddymodule/console/exchange/tree", "caddymodule/console/mask", "caddymodule/console/site", "caddymodule/evidence", "caddymodule/fill", "caddymodule/outage", "caddymodule/outcome", "caddymodule/spanish", "caddymodule/trail", "audit", "wsfev1", "wsfev1/soap/xmlscan"},
	"caddymodule/console/mask":       {"audit", "audit/redact/forms", "wsfev1", "wsfev1/soap/xmlscan"},
	"caddymodule/console/catalogue":  {"caddymodule/console/site", "caddymodule/rulebook", "validate", "validate/rules", "wsfev1"},
	"caddymodule/console/tryit":      {"caddymodule/forms", "caddymodule/command/view", "caddymodule/console/site", "caddymodule/judge", "caddymodule/spanish", "audit/export", "audit/redact", "internal/limit", "internal/nearest", "validate", "wsfev1"},
	"caddymodule/console/today":      {"caddymodule/console/mask", "caddymodule/command/view", "caddymodule/console/site", "caddymodule/outage", "caddymodule/outcome", "validate/rules", "caddymodule/spanish", "caddymodule/tickets", "audit", "wsfev1"},
	"caddymodule/console/outages":    {"caddymodule/console/site", "caddymodule/outage", "caddymodule/spanish", "audit", "wsfev1"},
	"caddymodule/console/search":     {"caddymodule/console/mask", "caddymodule/command/view", "caddymodule/console/find", "caddymodule/console/site", "caddymodule/outage", "caddymodule/outcome", "caddymodule/spanish", "caddymodule/trail", "audit", "wsfev1"},
	"caddymodule/console/proof":      {"caddymodule/console/mask", "caddymodule/checkpoint", "caddymodule/command/view", "caddymodule/console/site", "caddymodule/evidence", "caddymodule/spanish", "caddymodule/trail", "audit", "wsfev1"},
	"caddymodule/console/site":       {"caddymodule/local", "caddymodule/origin", "caddymodule/console/mask", "caddymodule/checkpoint", "caddymodule/outcome", "caddymodule/spanish", "caddymodule/trail", "audit", "wsfev1", "caddymodule/rulebook", "internal/panics"},
	"caddymodule/console/find":       {"audit", "wsfev1"},
	"caddymodule/tickets":            {"caddymodule/app", "caddymodule/checkpoint", "caddymodule/directive", "caddymodule/keyfile", "caddymodule/legacytls", "caddymodule/metrics", "internal/nearest", "internal/panics", "wsaa", "wsaa/client", "wsaa/client/overhttp", "wsaa/credential", "wsaa/keeper", "wsfev1"},
	"caddymodule/simulator":          {"caddymodule/app", "caddymodule/binding", "caddymodule/directive", "caddymodule/login", "caddymodule/metrics", "backend", "validate", "validate/rules", "wsfev1", "wsaa"},
	"caddymodule/stores":             {"caddymodule/directive", "caddymodule/tickets", "wsaa/keeper/file", "wsaa/keeper/postgres", "caddymodule/trail", "caddymodule/simulator", "audit", "audit/sqlite", "audit/postgres", "backend", "backend/sqlite", "backend/postgres", "internal/postgres"},
	"caddymodule/gateway":            {"caddymodule/local", "caddymodule/app", "caddymodule/binding", "caddymodule/checkpoint", "caddymodule/directive", "caddymodule/fill", "caddymodule/login", "caddymodule/metrics", "caddymodule/outage", "caddymodule/outcome", "caddymodule/rulebook", "caddymodule/tickets", "caddymodule/trail", "once", "audit", "audit/redact", "validate", "validate/rules", "wsfev1", "wsfev1/qr", "wsfev1/openapi", "wsaa", "wsaa/client", "wsaa/keeper", "internal/cache", "internal/limit", "internal/panics", "wsfev1/soap", "internal/nearest"},
	"caddymodule/admin":              {"caddymodule/app", "caddymodule/binding", "caddymodule/checkpoint", "caddymodule/login", "caddymodule/outage", "caddymodule/simulator", "caddymodule/tickets", "caddymodule/trail", "wsfev1"},
	"caddymodule/command":            {"caddymodule/command/cli", "caddymodule/command/view", "caddymodule/command/audit", "caddymodule/command/doctor", "caddymodule/forms", "caddymodule/command/login", "caddymodule/command/starter", "caddymodule/judge", "caddymodule/stores", "audit", "audit/postgres", "audit/redact", "backend", "backend/postgres", "backend/sqlite", "internal/postgres", "internal/panics", "internal/version", "validate", "validate/rules", "wsaa", "wsaa/keeper/postgres", "wsfev1", "wsfev1/openapi", "wsfev1/soap", "wsfev1/soap/xmlscan"},
	"caddymodule/command/doctor":     {"internal/durable", "caddymodule/app", "caddymodule/sentinel", "caddymodule/checkpoint", "caddymodule/contentkey", "caddymodule/layout", "caddymodule/arca", "caddymodule/binding", "caddymodule/directive", "wsaa/client", "caddymodule/keyfile", "caddymodule/legacytls", "caddymodule/tickets", "wsaa/credential", "wsaa/keeper/postgres", "wsfev1/soap", "caddymodule/command/cli", "caddymodule/command/view", "caddymodule/ports", "caddymodule/stores", "caddymodule/trail", "audit", "internal/postgres", "wsfev1"},
	"caddymodule/forms":              {"caddymodule/command/view", "audit", "audit/redact", "internal/nearest", "validate", "wsfev1", "wsfev1/soap", "wsfev1/soap/xmlscan"},
	"caddymodule/command/login":      {"caddymodule/checkpoint", "caddymodule/command/cli", "caddymodule/keyfile", "caddymodule/legacytls", "caddymodule/tickets", "wsaa", "wsaa/client", "wsaa/credential", "wsfev1", "internal/durable"},
	"caddymodule/command/starter":    {"caddymodule/command/cli", "internal/nearest"},
	"caddymodule/command/view":       {"caddymodule/outcome", "audit", "validate", "validate/rules", "wsfev1", "wsfev1/qr", "wsfev1/soap", "wsfev1/soap/xmlscan"},
	"caddymodule/command/cli":        {"caddymodule/contentkey", "caddymodule/sentinel", "caddymodule/command/view", "caddymodule/stores", "caddymodule/trail", "audit", "audit/postgres", "audit/sqlite", "backend", "backend/postgres", "backend/sqlite", "internal/postgres", "internal/panics", "wsfev1", "internal/nearest", "caddymodule/directive"},
	"caddymodule/command/audit":      {"internal/nearest", "caddymodule/backup", "caddymodule/keyfile", "caddymodule/sentinel", "caddymodule/checkpoint", "caddymodule/command/cli", "caddymodule/evidence", "caddymodule/command/view", "caddymodule/outage", "caddymodule/outcome", "caddymodule/stores", "caddymodule/trail", "audit", "audit/export", "audit/verify", "validate", "wsfev1", "wsfev1/qr", "internal/durable"},
	"caddymodule/metrics":            {"validate/rules", "wsfev1", "internal/panics", "internal/version"},
	"caddymodule/caddytest/fixture":  {},
	"caddymodule/caddytest":          {"caddymodule/caddytest/fixture", "audit", "audit/audittest", "audit/postgres", "audit/sqlite", "internal/postgres/postgrestest", "internal/testrun", "wsaa", "wsaa/client", "wsaa/wsaatest", "wsfev1", "validate", "wsfev1/soap"},
	"caddymodule/directive":          {"validate", "validate/rules", "wsfev1", "internal/nearest"},
	"once":                           {"audit", "wsfev1", "internal/panics"},
	"backend":                        {"wsaa", "validate", "validate/rules", "wsfev1"},
	"backend/sqlite":                 {"backend", "wsfev1", "internal/openfiles", "internal/panics"},
	"backend/postgres":               {"backend", "wsfev1", "internal/postgres", "internal/panics"},
	"backend/backendtest":            {"backend", "wsfev1"},
	"validate":                       {"wsfev1", "wsfev1/soap"},
	"wsaa":                           {"wsaa/cms", "wsfev1"},
	"wsaa/cms":                       {},
	"wsaa/credential":                {"wsaa", "wsaa/cms", "wsfev1"},
	"wsaa/client":                    {"wsaa", "wsaa/credential", "wsfev1", "wsfev1/soap/xmlscan"},
	"wsaa/client/overhttp":           {"wsaa/client"},
	"wsaa/keeper":                    {"wsaa", "wsaa/client", "wsaa/credential", "wsfev1", "internal/panics"},
	"wsaa/keeper/file":               {"wsaa/keeper", "internal/durable"},
	"wsaa/keeper/keepertest":         {"wsaa/keeper"},
	"wsaa/keeper/postgres":           {"wsaa/keeper", "internal/postgres"},
	"wsaa/wsaatest":                  {"wsaa", "wsaa/client"},
	"validate/rules":                 {"validate", "wsfev1"},
	"validate/validatetest":          {"validate", "wsfev1"},
	"audit":                          {"wsfev1", "internal/panics"},
	"audit/redact":                   {"audit", "audit/redact/forms", "wsfev1", "wsfev1/soap/xmlscan"},
	"audit/redact/forms":             {},
	"audit/verify":                   {"audit", "wsfev1", "internal/panics"},
	"audit/export":                   {"audit", "audit/verify", "wsfev1", "internal/panics", "internal/strictjson"},
	"audit/segment":                  {"audit", "wsfev1"},
	"audit/sqlite":                   {"audit", "audit/segment", "wsfev1", "internal/durable", "internal/openfiles", "internal/panics"},
	"audit/postgres":                 {"audit", "audit/segment", "wsfev1", "internal/postgres", "internal/panics"},
	"audit/audittest":                {"audit", "audit/verify", "internal/testrun", "wsfev1"},
	"grafana":                        {},
	"grafana/generate":               {"grafana"},
	"internal/cache":                 {},
	"internal/durable":               {},
	"internal/hostile":               {},
	"internal/idset":                 {},
	"internal/limit":                 {},
	"internal/nearest":               {},
	"internal/strictjson":            {},
	"internal/openfiles":             {},
	"internal/panics":                {},
	"internal/postgres":              {},
	"internal/postgres/postgrestest": {"internal/testrun"},
	"internal/testrun":               {},
	"internal/pages":                 {},
	"internal/version":               {},
	"release":                        {},
	"wsfev1":                         {"internal/idset"},
	"wsfev1/openapi":                 {"wsfev1"},
	"wsfev1/qr":                      {"wsfev1"},
	"wsfev1/soap":                    {"wsfev1", "wsfev1/soap/double", "wsfev1/soap/xmlscan"},
	"wsfev1/soap/double":             {"wsfev1"},
	"wsfev1/soap/wsdl":               {"wsfev1", "wsfev1/soap"},
	"wsfev1/soap/ticket":             {"wsfev1", "wsfev1/soap", "wsfev1/soap/xmlscan"},
	"wsfev1/soap/xmlscan":            {},
}

// foreign says which packages of others belong to which of ours alone. The tests are
// held to it where Caddy is concerned: what is tested knows no Caddy either.
var foreign = map[string][]string{
	caddy:                                 {".", "cmd", "caddymodule"},
	"modernc.org":                         {"audit/sqlite", "backend/sqlite"},
	"github.com/jackc/pgx":                {"internal/postgres", "audit/postgres", "backend/postgres", "wsaa/keeper/postgres"},
	"github.com/prometheus/client_golang": {"caddymodule", "grafana"},
	"go.uber.org/zap":                     {"caddymodule"},
	"github.com/spf13/cobra":              {"caddymodule"},
	"go.opentelemetry.io/otel":            {"caddymodule/gateway"},
	"golang.org/x/mod/sumdb":              {"audit", "caddymodule"},
	"github.com/govalues/decimal":         {"wsfev1"},
	"database/sql":                        {"audit/sqlite", "audit/postgres", "backend/sqlite", "backend/postgres", "caddymodule/caddytest"},
	"encoding/json":                       {"caddymodule"},
	"net/http":                            {"caddymodule", "cmd", "grafana", "wsaa/client/overhttp"},
	"github.com/dustin/go-humanize":       {"caddymodule"},
	"github.com/klauspost/compress":       {"audit/export", "audit/segment"},
	"go.yaml.in/yaml":                     {"backend"},
	"github.com/getkin/kin-openapi":       {"cmd/fielato-bench"},
	"github.com/smallstep/pkcs7":          {"wsaa/cms"},
	"software.sslmate.com/src/go-pkcs12":  {"wsaa/credential"},
}

// source is a Go file of the repository.
type source struct {
	file, folder string
	test         bool
	syntax       *ast.File
	imports      []string
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := source{file: file, folder: filepath.ToSlash(filepath.Dir(file)), test: strings.HasSuffix(file, "_test.go"), syntax: syntax}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imported)
		}
		all = append(all, s)
		return nil
	})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

// within reports whether a path is root or lies below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

// ruleOf returns what a folder's code may import.
func ruleOf(folder string) ([]string, bool) {
	for ; folder != "."; folder = path.Dir(folder) {
		if allowed, ok := mayImport[folder]; ok {
			return allowed, true
		}
	}
	return nil, false
}

func TestPackagesImportInOneDirection(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		if s.test {
			continue // tests drive what they like
		}
		allowed, ok := mayImport[s.folder], s.folder == "."
		if !ok {
			allowed, ok = ruleOf(s.folder)
		}
		if !ok {
			t.Errorf("%s: no rule for the folder %s", s.file, s.folder)
		}
		for _, imported := range s.imports {
			if !within(imported, module) {
				continue
			}
			checked++
			inner := path.Clean(strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"))
			if !slices.Contains(allowed, inner) && inner != s.folder {
				t.Errorf("%s imports %s; %s may import %v", s.file, inner, s.folder, allowed)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d imports were looked at", checked)
	}
}

func TestForeignPackagesStayWhereTheyBelong(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for root, folders := range foreign {
				if !within(imported, root) || s.test && root != caddy {
					continue
				}
				home := slices.ContainsFunc(folders, func(folder string) bool {
					return s.folder == folder || folder != "." && within(s.folder, folder)
				})
				if !home {
					t.Errorf("%s imports %s, which belongs to %v", s.file, imported, folders)
				}
			}
		}
	}
}

// TestEncodingJSONIsThereForCaddyAlone: it matches names without regard to case, so
// nothing of the wire may pass through it. Caddy's configuration needs its RawMessage.
func TestEncodingJSONIsThereForCaddyAlone(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !slices.Contains(s.imports, "encoding/json") {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if base, ok := selector.X.(*ast.Ident); ok && base.Name == "json" && selector.Sel.Name != "RawMessage" {
				t.Errorf("%s uses encoding/json.%s", s.file, selector.Sel.Name)
			}
			return true
		})
	}
}

// TestGatewayIsTheTopOfItsHouse: nothing imports it but the package that registers modules,
// and only the program imports the commands, but for how records are shown.
func TestGatewayIsTheTopOfItsHouse(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			inner := strings.TrimPrefix(imported, module+"/")
			switch {
			case s.test:
			case inner == "caddymodule/gateway" && s.folder != "caddymodule":
				t.Errorf("%s imports the gateway", s.file)
			case within(inner, "caddymodule/command") && inner != "caddymodule/command/view" &&
				!slices.Contains([]string{"caddymodule", "cmd/fielato"}, s.folder) && !within(s.folder, "caddymodule/command"):
				t.Errorf("%s imports the command room %s", s.file, inner)
			}
		}
	}
}

// Bounds of what one reader can keep in mind, in lines that are not tests.
const (
	maxFile    = 300
	maxPackage = 2500
)

// largeRooms are the packages that are larger: each is one subject.
var largeRooms = []string{"caddymodule/gateway", "caddymodule/caddytest", "caddymodule/command/audit", "validate/rules", "backend", "audit", "audit/audittest", "audit/export", "once"}

func TestRoomsStaySmall(t *testing.T) {
	lines := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		content, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(string(content), "\n")
		if n > maxFile {
			t.Errorf("%s has %d lines: %d is the most", s.file, n, maxFile)
		}
		lines[s.folder] += n
	}
	for folder, n := range lines {
		if n > maxPackage && !slices.Contains(largeRooms, folder) {
			t.Errorf("%s has %d lines: %d is the most", folder, n, maxPackage)
		}
	}
}

// isOurs reports whether an entry is of a kind that belongs to a repository: code,
// documents, folders. What a user tries out beside them does not count.
func isOurs(entry os.DirEntry) bool {
	return entry.IsDir() || slices.Contains([]string{".go", ".md", ".yml", ".yaml", ".sh"}, path.Ext(entry.Name()))
}

// TestTopLevelHoldsWhatIsListed and nothing else; hidden files and what is ignored
// by version control do not count.
func TestTopLevelHoldsWhatIsListed(t *testing.T) {
	listed := strings.Fields("README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE NOTICE Caddyfile.example go.mod go.sum fielato.go architecture_test.go errors_test.go modules_test.go contributing_test.go" +
		" cmd wsfev1 wsaa validate audit backend once caddymodule grafana docs internal release")
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || slices.Contains(listed, name) || !isOurs(entry) {
			continue
		}
		if !slices.ContainsFunc(strings.Fields(string(ignored)), func(pattern string) bool {
			matched, _ := path.Match(strings.Trim(pattern, "/"), name)
			return matched
		}) {
			t.Errorf("%s is not listed", name)
		}
	}
	for name := range strings.FieldsSeq("README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE NOTICE .editorconfig Caddyfile.example go.mod go.sum fielato.go cmd wsfev1 validate audit backend caddymodule") {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// anchorCited is a citation of a place in docs/sources.md. One that a comment wraps has its
// address on one line.
var anchorCited = regexp.MustCompile(`docs/sources\.md(#[a-z0-9-]+)?`)

// TestCitationsCanBeRead: what the code cites is in this repository or public. The page of
// sources has each place that is named.
func TestCitationsCanBeRead(t *testing.T) {
	page, err := os.ReadFile("docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{"": true}
	for line := range strings.Lines(string(page)) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			places["#"+strings.ReplaceAll(strings.ToLower(strings.TrimSpace(heading)), " ", "-")] = true
		}
	}
	for _, link := range regexp.MustCompile(`\]\((#[^)]*)\)`).FindAllStringSubmatch(string(page), -1) {
		if !places[link[1]] {
			t.Errorf("docs/sources.md has no place %s, which it links to", link[1])
		}
	}
	// Written in two halves, or this file would cite them.
	unreadable := []string{"domain" + ".md", "interface" + ".md", "observed-behaviour" + ".md"}
	cited := 0
	for file, text := range textFiles(t) {
		for _, name := range unreadable {
			if strings.Contains(text, name) {
				t.Errorf("%s cites %s, which nobody can read", file, name)
			}
		}
		for _, match := range anchorCited.FindAllStringSubmatch(text, -1) {
			cited++
			if !places[match[1]] {
				t.Errorf("%s cites docs/sources.md%s, which is not there", file, match[1])
			}
		}
	}
	if cited < 100 {
		t.Errorf("only %d citations were looked at", cited)
	}
}

// textFiles returns the contents of the files of the repository.
func textFiles(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".git"):
			return nil
		}
		text, err := os.ReadFile(file)
		if utf8.Valid(text) {
			texts[filepath.ToSlash(file)] = string(text)
		}
		return err
	})
	if err != nil || len(texts) < 500 {
		t.Fatalf("%d files: %v", len(texts), err)
	}
	return texts
}

// TestEveryGoroutineRecovers at its root: a panic that nobody recovers ends the process, and
// with it the requests of every issuer. Helpers of tests and the benchmark may die.
func TestEveryGoroutineRecovers(t *testing.T) {
	aids := []string{"cmd/fielato-bench", "audit/audittest", "backend/backendtest", "internal/postgres/postgrestest", "internal/testrun", "caddymodule/caddytest", "wsaa/keeper/keepertest", "internal/panics"}
	checked := 0
	for _, s := range sources(t) {
		if s.test || slices.ContainsFunc(aids, func(aid string) bool { return within(s.folder, aid) }) {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			root := startedBy(n)
			if root == nil {
				return true
			}
			checked++
			if !recovers(root) {
				t.Errorf("%s starts a goroutine without a recover at its root: use package panics", s.file)
			}
			return true
		})
	}
	if checked < 8 {
		t.Errorf("only %d goroutines were looked at", checked)
	}
}

// startedBy returns what a node starts in a goroutine of its own, nil if it starts none. The
// end of a context does nothing but end it.
func startedBy(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call.Fun
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || len(n.Args) == 0 {
			return nil
		}
		last := n.Args[len(n.Args)-1]
		base, _ := selector.X.(*ast.Ident)
		switch {
		case base != nil && base.Name == "panics":
			return nil
		case selector.Sel.Name == "Go" && len(n.Args) == 1:
			return last
		case selector.Sel.Name == "AfterFunc":
			if f, ok := last.(*ast.Ident); !ok || f.Name != "cancel" {
				return last
			}
		}
	}
	return nil
}

// recovers reports whether a function literal makes use of package panics.
func recovers(root ast.Expr) bool {
	literal, ok := root.(*ast.FuncLit)
	if !ok {
		return false
	}
	found := false
	ast.Inspect(literal.Body, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			base, ok := selector.X.(*ast.Ident)
			found = found || ok && base.Name == "panics"
		}
		return true
	})
	return found
}
