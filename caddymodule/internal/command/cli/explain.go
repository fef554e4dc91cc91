package cli

import (
	"regexp"
	"strings"

	"github.com/fielato/fielato/internal/nearest"
)

var (
	// chain is what Caddy writes in front of an error while it adapts and loads a configuration.
	chain = regexp.MustCompile(`^(?:adapting config using [^:]+|parsing caddyfile tokens for '[^']*'|Error during parsing|loading [^:]+|provision [^:]+|server \S+|setting up [^:]+|route \d+|` +
		`position \d+|module name '[^']*'|[a-z0-9_.]+ app module|start|invalid configuration|validating [^:]+|caching [^:]+|sending configuration to instance|caddy responded with error): `)
	// written is where Caddy's parser has found an error.
	written = regexp.MustCompile(`(?s)^(.*), at (\S+:\d+)( import chain:? \[.*\])?(.*)$`)
	// begins is an error that begins with its place.
	begins = regexp.MustCompile(`^\S+:\d+: `)
)

// Explained returns an error of Caddy's about a configuration. It begins with the file and the line, as far
// as they are known, and with the mistake. A description of Caddy's work at that time follows. finding is
// another mistake that is known, empty for none: it goes first if the error does not have it.
func Explained(err error, finding string) error {
	if err == nil || err.Error() == "" {
		return err
	}
	text := Explain(err.Error())
	if finding != "" && !strings.Contains(text, finding) {
		text = finding + " (" + text + ")"
	}
	return &explained{text, err}
}

type explained struct {
	text string
	err  error
}

// Error implements error.
func (e *explained) Error() string { return e.text }

// Unwrap returns the error as Caddy gave it.
func (e *explained) Unwrap() error { return e.err }

// Explain is Explained for a text.
func Explain(text string) string {
	var doing []string
	for {
		at := chain.FindString(text)
		if at == "" {
			break
		}
		doing, text = append(doing, strings.TrimSuffix(at, ": ")), strings.TrimPrefix(text, at)
	}
	if found := written.FindStringSubmatch(text); found != nil && !begins.MatchString(text) {
		text = found[2] + ": " + found[1] + found[3] + found[4]
	}
	text += cureOf(text)
	if len(doing) == 0 {
		return text
	}
	return text + " (" + strings.Join(doing, ": ") + ")"
}

// directives are those that a site with a gateway has most often.
var directives = []string{"wsfev1", "wsfev1_backend", "wsfev1_wsaa", "wsfev1_console", "wsfev1_log", "wsfev1_arca", "reverse_proxy", "basic_auth", "bind", "handle", "route", "tls"}

var unknownDirective = regexp.MustCompile(`unrecognized directive: (\S+)$`)

// cureOf returns what to do about an error of Caddy's parser that does not say it.
func cureOf(text string) string {
	if strings.HasSuffix(text, "unexpected EOF") {
		return ": a block is not closed: look for a { without its }"
	}
	if found := unknownDirective.FindStringSubmatch(text); found != nil {
		return nearest.Question(found[1], directives)
	}
	return ""
}
