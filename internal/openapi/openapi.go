// Package openapi holds the description of the whole interface as an OpenAPI 3.1 document,
// to generate clients from and to read. It is made from the types of package wsfev1, their
// tags and comments, and from an example of each operation.
//
// The document describes the requests that the gateway accepts: required members, kinds, digits.
// Conditions that only a rule can decide are in the catalogue (fielato wsfev1 rules). The page is
// docs/library.md.
//
// It is a package of its own because the gateway serves the document, a command prints it and the benchmark
// holds answers against it.
package openapi

import _ "embed"

//go:generate go run ./generate

// Document is the document, in JSON. It is generated: run go generate ./internal/openapi. The
// caller must not change it.
//
//go:embed openapi.json
var Document []byte
