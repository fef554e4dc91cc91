package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets this program be its own children, as the command is.
func TestMain(m *testing.M) {
	if isChild() {
		os.Exit(playRole(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}
