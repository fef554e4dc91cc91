package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	command = "github.com/fielato/fielato/cmd/fielato"
	tags    = "nobadger,nomysql,nopgx" // those that xcaddy builds with
)

// platforms are those that a release is built for.
var platforms = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64",
	"windows/amd64", "windows/arm64", "freebsd/amd64", "freebsd/arm64",
}

// module is a module with packages in the binary of some platform.
type module struct {
	path, version, folder string
	files                 []file // by name
}

// file is a licence or a notice, in the module's folder or above a package of it that is
// linked. Its name is relative to the module's folder.
type file struct{ name, path string }

// isText is how files with licences and notices are called.
var isText = regexp.MustCompile(`(?i)^(un)?(licen[sc]es?|copying|notice)([-.].*)?$`)

// linked returns the modules of others that a binary is built from, on any platform, by path.
// It asks the go command, which builds nothing for that.
func linked(ctx context.Context) ([]module, error) {
	var packages strings.Builder
	for _, platform := range platforms {
		printed, err := list(ctx, platform)
		if err != nil {
			return nil, err
		}
		packages.WriteString(printed)
	}
	modules := map[string]*module{}
	folders := map[string]bool{}
	for line := range strings.Lines(packages.String()) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 4 {
			return nil, fmt.Errorf("go list printed %q", line)
		}
		m := modules[fields[0]]
		if m == nil {
			m = &module{path: fields[0], version: fields[1], folder: fields[2]}
			modules[m.path] = m
		}
		if err := m.collect(fields[3], folders); err != nil {
			return nil, err
		}
	}
	all := make([]module, 0, len(modules))
	for _, m := range modules {
		slices.SortFunc(m.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
		all = append(all, *m)
	}
	inPages, err := inPages(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, inPages...)
	slices.SortFunc(all, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return all, nil
}

// list prints module, version, module's folder and folder of each package of others.
func list(ctx context.Context, platform string) (string, error) {
	system, processor, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-tags", tags,
		"-f", `{{if .Module}}{{if not .Module.Main}}{{.Module.Path}}{{"\t"}}{{.Module.Version}}{{"\t"}}{{.Module.Dir}}{{"\t"}}{{.Dir}}{{end}}{{end}}`, command)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	printed, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list for %s: %w: %s", platform, err, complaints.String())
	}
	return string(printed), nil
}

// collect adds the texts in the folders from a package up to its module. It leaves out the
// folders that it has seen, and adds the new ones to seen.
func (m *module) collect(folder string, seen map[string]bool) error {
	for ; !seen[folder]; folder = filepath.Dir(folder) {
		seen[folder] = true
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !isText.MatchString(entry.Name()) || filepath.Ext(entry.Name()) == ".go" {
				continue
			}
			path := filepath.Join(folder, entry.Name())
			name, err := filepath.Rel(m.folder, path)
			if err != nil {
				return err
			}
			m.files = append(m.files, file{name: filepath.ToSlash(name), path: path})
		}
		if folder == m.folder {
			return nil
		}
	}
	return nil
}
