package cli

import (
	"regexp"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/internal/nearest"
)

var (
	// chain is what Caddy writes in front of an error while it adapts and loads a configuration.
	chain = regexp.MustCompile(`^(?:adapting config using [^:]+|parsing caddyfile tokens for '[^']*'|Error during parsing|loading [^:]+|provision [^:]+|server \S+|setting up [^:]+|route \d+|` +
		`position \d+|http\.handlers\.\w+|module name '[^']*'|[a-z0-9_.]+ app module|start|invalid configuration|validating [^:]+|caching [^:]+|sending configuration to instance|caddy responded with error): `)
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
	text, doing := unchained(text)
	if place := begins.FindString(text); place != "" {
		rest, more := unchained(strings.TrimPrefix(text, place))
		text, doing = place+rest, append(doing, more...)
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

// unchained returns an error without what Caddy writes in front of it, and that.
func unchained(text string) (rest string, doing []string) {
	for {
		at := chain.FindString(text)
		if at == "" {
			return text, doing
		}
		doing, text = append(doing, strings.TrimSuffix(at, ": ")), strings.TrimPrefix(text, at)
	}
}

var (
	unknownDirective = regexp.MustCompile(`unrecognized directive: (\S+)$`)
	unknownMatcher   = regexp.MustCompile(`unrecognized matcher name: (@\S+)$`)
)

// cures are what to do about errors of Caddy's, by a part of their text. They do not say it themselves.
var cures = []struct{ part, cure string }{
	{"unexpected EOF", "a block is not closed: look for a { without its }"},
	{"does not qualify for certificate: '}'", "look for a } without its {"},
	{"as a site address, but it is a known directive", "look above it for a } too many, or for a { without a space in front of it"},
	{"server block without any key", "put the global options at the top of the file; if a variable such as {$NAME} is the address of a site, set it where the gateway starts"},
	{"ambiguous site definition", "two sites have this address: put them into one, or give one of them another address"},
	{"File to import not found", "correct the path, or define a snippet (name) { … } of this name above"},
	{"only support scheme, host, and port components", "leave out what follows the host and the port"},
	{"bind: cannot assign requested address", "this machine has no such address: correct bind, default_bind or admin"},
	{"bind: permission denied", "ports below 1024 take root or the capability CAP_NET_BIND_SERVICE: choose another port, or run it as the unit in grafana/deploy does"},
	{"did you mean to use a config adapter", "for a Caddyfile of another name, add --adapter caddyfile"},
}

// cureOf returns what to do about an error of Caddy's that does not say it.
func cureOf(text string) string {
	for _, c := range cures {
		if strings.Contains(text, c.part) && !strings.Contains(text, c.cure) {
			return ": " + c.cure
		}
	}
	if text == "EOF" {
		return ": the configuration is empty: `fielato init` writes one"
	}
	if found := unknownMatcher.FindStringSubmatch(text); found != nil {
		return ": define it in the same site, such as " + found[1] + " path /api/*"
	}
	if found := unknownDirective.FindStringSubmatch(text); found != nil {
		return nearest.Question(found[1], directive.OfSites)
	}
	return ""
}
