// Command generate writes openapi.json, from the types of package wsfev1. It is run in the
// folder of package openapi, by go generate.
package main

import (
	"fmt"
	"os"
)

func main() {
	text, err := document("../../wsfev1")
	if err == nil {
		err = os.WriteFile("openapi.json", text, 0o644) //nolint:gosec // a file of the repository
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}
