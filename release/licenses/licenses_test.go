package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write docs/licenses.md anew")

// list is the page with all modules.
const listOfModules = "../../docs/licenses.md"

const head = `<!-- Generated: run go test ./release/licenses -update -->

# Licences

Fielato has the [Apache License 2.0](../LICENSE). A binary is built from the modules below as well, and from Go's standard library (BSD-3-Clause); not every platform has all of them.
The texts of all these licences are in ` + "`third-party.txt`" + ` of every archive, package and image. In a clone, ` + "`go run ./release/licenses`" + ` prints them.

| module | version | licences |
|---|---|---|
`

var onceLinked = sync.OnceValues(func() ([]module, error) { return linked(context.Background()) })

// all are the modules that are linked. The go command is asked once for all tests.
func all(t *testing.T) []module {
	t.Helper()
	modules, err := onceLinked()
	if err != nil {
		t.Fatal(err)
	}
	return modules
}

// TestModulesHavePermittedLicences, all that are linked on some platform, and the list of
// them is current.
func TestModulesHavePermittedLicences(t *testing.T) {
	modules := all(t)
	if len(modules) < 100 {
		t.Errorf("only %d modules", len(modules))
	}
	var page strings.Builder
	page.WriteString(head)
	for _, m := range modules {
		ids, objections, err := m.licenses()
		if err != nil {
			t.Fatal(err)
		}
		for _, objection := range objections {
			t.Errorf("%s %s: %s", m.path, m.version, objection)
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", m.path, m.version, strings.Join(ids, ", "))
	}
	if *update {
		if err := os.WriteFile(listOfModules, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept := read(t, listOfModules); kept != page.String() {
		t.Error("docs/licenses.md is stale: run go test ./release/licenses -update and look at what has changed")
	}
	for name := range aside {
		path, file, _ := strings.Cut(name, " ")
		if !slices.ContainsFunc(modules, func(m module) bool { return m.path == path && m.has(file) }) {
			t.Errorf("%s is set aside and not there", name)
		}
	}
}

func (m *module) has(name string) bool {
	return slices.ContainsFunc(m.files, func(f file) bool { return f.name == name })
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOurLicenceIsUnchanged: it is the text that apache.org publishes.
func TestOurLicenceIsUnchanged(t *testing.T) {
	digest := sha256.Sum256([]byte(read(t, "../../LICENSE")))
	if got := hex.EncodeToString(digest[:]); got != "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30" {
		t.Errorf("LICENSE has the digest %s", got)
	}
	if notice := read(t, "../../NOTICE"); !strings.Contains(notice, "Fielato authors") {
		t.Errorf("NOTICE: %q", notice)
	}
}

const (
	mit = "Permission is hereby granted, free of charge, to any person obtaining a copy\nof this software and associated documentation files\n" +
		"The above copyright notice and this permission notice shall be included"
	bsd2 = " * Redistributions of source code must retain the above copyright\n * notice"
	bsd3 = bsd2 + "\n * names of its contributors may be used to endorse or promote\n * products derived"
	gpl  = "                    GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007"
	// mpl names the licences that its files may be combined with, and is none of them.
	mpl = "Mozilla Public License Version 2.0\n\"Secondary License\" means either the GNU General Public License, Version 2.0,\nthe GNU Lesser General Public License, Version 2.1"
)

func TestLicencesAreRecognisedByTheirPhrases(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{read(t, "../../LICENSE"), "Apache-2.0"},
		{"// Licensed under the Apache License, Version 2.0 (the \"License\")", "Apache-2.0"},
		{mit, "MIT"},
		{bsd2, "BSD-2-Clause"},
		{bsd3, "BSD-3-Clause"},
		{bsd3 + " All advertising materials mentioning features", "BSD-4-Clause"},
		{mit + "\n\n" + bsd3, "MIT BSD-3-Clause"},
		{"Permission to use, copy, modify, and/or distribute this software for any\npurpose with or without fee is hereby granted, provided that the above\ncopyright notice", "ISC"},
		{"distribute this software for any purpose with or without fee is hereby granted.", "0BSD"},
		{mpl, "MPL-2.0"},
		{"Mozilla Public License Version 1.1", "MPL-1.1"},
		{"This is free and unencumbered software released into the public domain.", "Unlicense"},
		{"CC0 1.0 Universal", "CC0-1.0"},
		{gpl, "GPL"},
		{"under the terms of the GNU General Public License as published", "GPL"},
		{"GNU LESSER GENERAL PUBLIC LICENSE\n Version 3", "LGPL"},
		{"GNU Library General Public License version 2", "LGPL"},
		{"GNU AFFERO GENERAL PUBLIC LICENSE\n Version 3", "AGPL"},
		{"Business Source License 1.1", "BUSL"},
		{"All rights reserved.", ""},
	} {
		if got := strings.Join(classify(c.text), " "); got != c.want {
			t.Errorf("%.60q is %q, want %q", c.text, got, c.want)
		}
	}
}

// TestObjections: a module that may not be linked does not pass.
func TestObjections(t *testing.T) {
	for _, c := range []struct {
		name, want string
		files      map[string]string
	}{
		{"permitted", "", map[string]string{"LICENSE": mit, "NOTICE": "Copyright"}},
		{"weak", "", map[string]string{"LICENSE": mpl}},
		{"below a package", "inner/COPYING has the licence GPL, which is not permitted", map[string]string{"LICENSE": mit, "inner/COPYING": gpl}},
		{"copyleft", "LICENCE.md has the licence GPL, which is not permitted", map[string]string{"LICENCE.md": gpl}},
		{"unknown", "LICENSE has no licence that is known here; there is no licence", map[string]string{"LICENSE": "All rights reserved."}},
		{"none", "there is no licence", map[string]string{"README": mit, "licenses.go": mit, "checklicense.sh": mit}},
		{"a notice alone", "there is no licence", map[string]string{"NOTICE": "Copyright"}},
	} {
		folder := t.TempDir()
		for name, text := range c.files {
			path := filepath.Join(folder, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, seen := module{path: "example.com/m", folder: folder}, map[string]bool{}
		for _, of := range []string{filepath.Join(folder, "inner"), folder} {
			if _, err := os.Stat(of); err == nil {
				if err := m.collect(of, seen); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, objections, err := m.licenses()
		if got := strings.Join(objections, "; "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestTextsAreWhole: what a release carries has the text of each module.
func TestTextsAreWhole(t *testing.T) {
	modules := all(t)
	var printed bytes.Buffer
	if err := printTexts(&printed, modules); err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		for _, f := range m.files {
			if want := m.path + " " + m.version + ", " + f.name + "\n"; !strings.Contains(printed.String(), want) {
				t.Errorf("%q is missing", want)
			}
			if !strings.Contains(printed.String(), strings.TrimSpace(read(t, f.path))) {
				t.Errorf("%s of %s is not whole", f.name, m.path)
			}
		}
	}
}

// TestPlatformsAreThoseOfARelease, and so are the tags.
func TestPlatformsAreThoseOfARelease(t *testing.T) {
	var recipe struct {
		Builds []struct{ Goos, Goarch, Tags []string }
	}
	if err := yaml.Unmarshal([]byte(read(t, "../goreleaser.yaml")), &recipe); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, build := range recipe.Builds {
		for _, system := range build.Goos {
			for _, processor := range build.Goarch {
				want = append(want, system+"/"+processor)
			}
		}
		if got := strings.Join(build.Tags, ","); got != tags {
			t.Errorf("a release has the tags %s, the licences are those of %s", got, tags)
		}
	}
	if !slices.Equal(platforms, want) {
		t.Errorf("a release is for %v, the licences are those of %v", want, platforms)
	}
}
