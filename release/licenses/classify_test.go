package main

import (
	"regexp"
	"strings"
)

// sign is what a licence is recognised by: all of the phrases, and none of the others.
// Phrases are in lower case, with one space between words.
type sign struct {
	id          string
	all, unless []string
}

// endorsement and its variants are what BSD-3-Clause has and BSD-2-Clause lacks.
const endorsement = "endorse or promote products"

// signs are the licences known here. Those that permitted lacks are here so that a failure
// names them.
var signs = []sign{
	{id: "Apache-2.0", all: []string{"apache license version 2.0"}},
	{id: "Apache-2.0", all: []string{"apache license, version 2.0"}},
	{id: "MIT", all: []string{"permission is hereby granted, free of charge, to any person obtaining a copy of this software", "the above copyright notice and this permission notice"}},
	{id: "BSD-4-Clause", all: []string{"redistributions of source code must retain", "all advertising materials mentioning features"}},
	{id: "BSD-3-Clause", all: []string{"redistributions of source code must retain", endorsement}, unless: []string{"all advertising materials mentioning features"}},
	{id: "BSD-2-Clause", all: []string{"redistributions of source code must retain"}, unless: []string{endorsement}},
	{id: "ISC", all: []string{"distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice"}},
	{id: "0BSD", all: []string{"distribute this software for any purpose with or without fee is hereby granted."}},
	{id: "MPL-2.0", all: []string{"mozilla public license version 2.0"}},
	{id: "MPL-2.0", all: []string{"mozilla public license, v. 2.0"}},
	{id: "Unlicense", all: []string{"this is free and unencumbered software released into the public domain"}},
	{id: "CC0-1.0", all: []string{"cc0 1.0 universal"}},
	{id: "Zlib", all: []string{"this software is provided 'as-is', without any express or implied warranty", "altered source versions must be plainly marked"}},
	{id: "blessing", all: []string{"dedicated to the public domain by the authors", "sqlite"}},

	{id: "GPL", all: []string{"gnu general public license version"}},
	{id: "GPL", all: []string{"terms of the gnu general public license"}},
	{id: "LGPL", all: []string{"gnu lesser general public license version"}},
	{id: "LGPL", all: []string{"terms of the gnu lesser general public license"}},
	{id: "LGPL", all: []string{"gnu library general public license version"}},
	{id: "LGPL", all: []string{"terms of the gnu library general public license"}},
	{id: "AGPL", all: []string{"gnu affero general public license version"}},
	{id: "AGPL", all: []string{"terms of the gnu affero general public license"}},
	{id: "MPL-1.1", all: []string{"mozilla public license version 1.1"}},
	{id: "EPL", all: []string{"eclipse public license"}},
	{id: "CDDL", all: []string{"common development and distribution license"}},
	{id: "EUPL", all: []string{"european union public licence"}},
	{id: "OSL", all: []string{"open software license"}},
	{id: "CC-BY-SA", all: []string{"attribution-sharealike"}},
	{id: "CC-BY-NC", all: []string{"attribution-noncommercial"}},
	{id: "SSPL", all: []string{"server side public license"}},
	{id: "BUSL", all: []string{"business source license"}},
	{id: "Elastic", all: []string{"elastic license"}},
	{id: "Commons-Clause", all: []string{"commons clause"}},
}

// notWords is what stands between words besides spaces: the signs of comments, quotation
// and Markdown.
var notWords = regexp.MustCompile("[\\s*#>`\"“”]+")

// classify returns the licences that a text has or names, each once, in the order of signs. A
// text may have several, such as one for each part of a module.
func classify(text string) (ids []string) {
	text = notWords.ReplaceAllString(strings.ToLower(text), " ")
	for _, s := range signs {
		if s.in(text) && (len(ids) == 0 || ids[len(ids)-1] != s.id) {
			ids = append(ids, s.id)
		}
	}
	return ids
}

func (s sign) in(text string) bool {
	for _, phrase := range s.all {
		if !strings.Contains(text, phrase) {
			return false
		}
	}
	for _, phrase := range s.unless {
		if strings.Contains(text, phrase) {
			return false
		}
	}
	return true
}
