package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// pages is the package with the files of others that the console serves.
const pages = "github.com/fielato/fielato/caddymodule/internal/console/site"

// inPages returns those files as modules. A file is named product-version.rest, and its licence, which
// stands beside it, product.LICENSE.
func inPages(ctx context.Context) (all []module, err error) {
	printed, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", pages).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pages, err)
	}
	folder := filepath.Join(strings.TrimSpace(string(printed)), "assets", "vendor")
	texts, err := filepath.Glob(filepath.Join(folder, "*.LICENSE"))
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		name := filepath.Base(text)
		product := strings.TrimSuffix(name, ".LICENSE")
		files, err := filepath.Glob(filepath.Join(folder, product+"-*"))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s is the licence of no file", text)
		}
		var version []string
		for part := range strings.SplitSeq(strings.TrimPrefix(filepath.Base(files[0]), product+"-"), ".") {
			if strings.Trim(part, "0123456789") != "" {
				break
			}
			version = append(version, part)
		}
		all = append(all, module{
			path: product + " (in the pages of the console)", version: strings.Join(version, "."), folder: folder,
			files: []file{{name: name, path: text}},
		})
	}
	return all, nil
}
