package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// permitted are the licences that a module in the binary may have, by SPDX identifier. All
// but one ask for no more than their text beside the binary.
//
// MPL-2.0 is copyleft, but file by file: it asks for the source of the files that have it,
// which the module proxy serves, and nothing of the program around them (its section 3.3).
var permitted = map[string]bool{
	"0BSD": true, "Apache-2.0": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "CC0-1.0": true, "ISC": true,
	"MIT": true, "MPL-2.0": true, "Unlicense": true, "Zlib": true, "blessing": true,
}

// aside lists the texts that do not apply to the linked code, with the reason.
var aside = map[string]string{
	"modernc.org/memory LICENSE-LOGO":         "the address of a picture that the repository shows",
	"modernc.org/sqlite LICENSE-3RD-PARTY.md": "a list of all that the repository and its tests need; what is linked of it is in modules of its own here",
}

// licenses returns the identifiers of the licences in the module's texts, in order, and what
// speaks against the module: no licence, one that is not permitted, a text that is not
// understood. A notice need not have a licence.
func (m *module) licenses() (ids, objections []string, err error) {
	found := map[string]bool{}
	for _, f := range m.files {
		if _, skip := aside[m.path+" "+f.name]; skip {
			continue
		}
		text, err := os.ReadFile(f.path)
		if err != nil {
			return nil, nil, err
		}
		recognised := classify(string(text))
		for _, id := range recognised {
			found[id] = true
			if !permitted[id] {
				objections = append(objections, fmt.Sprintf("%s has the licence %s, which is not permitted", f.name, id))
			}
		}
		if isNotice := strings.HasPrefix(strings.ToLower(filepath.Base(f.name)), "notice"); len(recognised) == 0 && !isNotice {
			objections = append(objections, f.name+" has no licence that is known here")
		}
	}
	if len(found) == 0 {
		objections = append(objections, "there is no licence")
	}
	return slices.Sorted(maps.Keys(found)), objections, nil
}
