package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestOptionsThatCannotBe(t *testing.T) {
	for args, want := range map[string]string{
		"-targets nginx":           "plain, plain2, floor, observe, enforce, soap, plainsoap, tosoap, soaptosoap, builtin, console, httputil, openapi",
		"-targets plain,plain":     "once",
		"-connections 0":           "numbers from 1 to 1024",
		"-connections 1,x":         "numbers from 1 to 1024",
		"-connections 32,32":       "different numbers",
		"-invoices 251":            "numbers from 1 to 250",
		"-duration 1ms":            "at least 10ms",
		"-rounds 0":                "at least 1",
		"-repeats -1":              "0 or more",
		"-targets plain -last a":   "needs the target floor",
		"-record":                  "name it with -last",
		"-pgo a -cpuprofile b":     "leave out -cpuprofile",
		"-rate -1":                 "requests a second",
		"-of nginx":                "give one of plain",
		"table.md":                 "not an option",
		"-no-such-flag":            "no-such-flag",
		"-targets plain -rounds z": "rounds",
	} {
		var said bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), &said, &said); code != exitUsage {
			t.Errorf("%s: exit status %d", args, code)
		}
		if !strings.Contains(said.String(), want) || strings.Count(said.String(), "\n") != 1 {
			t.Errorf("%s: %q does not say %q in one line", args, &said, want)
		}
	}
}

func TestQuickLeavesWhatIsGiven(t *testing.T) {
	for args, want := range map[string]options{
		"":                         {duration: defaultDuration, rounds: defaultRounds, repeats: defaultRepeats},
		"-quick":                   {duration: 400 * time.Millisecond, rounds: 1},
		"-quick -rounds 2":         {duration: 400 * time.Millisecond, rounds: 2},
		"-quick -duration 2s":      {duration: 2 * time.Second, rounds: 1},
		"-rounds 5 -duration 40ms": {duration: 40 * time.Millisecond, rounds: 5, repeats: defaultRepeats},
		"-pgo a":                   {duration: 5 * time.Second, rounds: 1},
		"-pgo a -duration 1s":      {duration: time.Second, rounds: 1},
		"-quick -repeats 4":        {duration: 400 * time.Millisecond, rounds: 1, repeats: 4},
	} {
		got, err := parseOptions(strings.Fields(args), &bytes.Buffer{})
		if err != nil || got.duration != want.duration || got.rounds != want.rounds || got.repeats != want.repeats {
			t.Errorf("%q: %v, %d rounds, %d repeats: %v", args, got.duration, got.rounds, got.repeats, err)
		}
	}
}

func TestHelpTellsTargetsAndExamples(t *testing.T) {
	var help bytes.Buffer
	if code := run(t.Context(), []string{"-h"}, &bytes.Buffer{}, &help); code != 0 {
		t.Errorf("exit status %d", code)
	}
	for _, want := range []string{"go run . -quick", "-cpuprofile", "kin-openapi", "  builtin "} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("%q is not in\n%s", want, &help)
		}
	}
}
