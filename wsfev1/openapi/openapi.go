// Package openapi holds the description of the whole interface as an OpenAPI 3.1 document,
// for who generates a client or reads about it. It is made from the types of package
// wsfev1, their tags and comments, and from an example of each operation.
//
// What the document says is what the gateway takes: required members, kinds, digits. What
// only a rule can tell is in the catalogue (fielato wsfev1 rules).
package openapi

import _ "embed"

//go:generate go run ./generate

// Document is the document, in JSON. It is generated: run go generate ./wsfev1/openapi. The
// caller must not change it.
//
//go:embed openapi.json
var Document []byte
