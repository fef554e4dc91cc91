package trail

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fielato/fielato/audit"
)

// checkOrigin returns an error if a text can be the origin of no log.
func checkOrigin(origin string) error {
	if origin == "" {
		return nil
	}
	if before, _, ok := audit.SplitOrigin(origin); !ok || before == "" {
		return errors.New("origin: write a domain of yours before the log's usual origin, such as ejemplo.com.ar/fielato/gw-1, without spaces and plus signs")
	}
	return nil
}

// checkOriginOf returns an error if the option origin names another log than this one.
func (o *Options) checkOriginOf(log string) error {
	before, of, _ := audit.SplitOrigin(o.origin)
	if o.origin == "" || of == log {
		return nil
	}
	return fmt.Errorf("origin %s: this log is called %s: write %s%s", o.origin, log, before, audit.Origin(log))
}

// checkKeyName returns an error if a log that this key signs first would not get the origin that the options ask for.
func (o *Options) checkKeyName(key *audit.Key) error {
	name := audit.KeyName(key.Verifier())
	if has, _, _ := audit.SplitOrigin(name); o.origin != "" && has != o.before() {
		return fmt.Errorf("origin %s: the private key of the log was made with the name %s, and another origin needs a key of its own: "+
			"move that file away, so that a new one is made, or remove origin", o.origin, name)
	}
	return nil
}

// checkLogOrigin returns an error if a log has another origin than the options ask for. It keeps the one that it began with.
func (o *Options) checkLogOrigin(checkpoint []byte) error {
	has, _, _ := strings.Cut(string(checkpoint), "\n")
	if before, _, _ := audit.SplitOrigin(has); o.origin != "" && before != o.before() {
		return fmt.Errorf("origin %s: the log has the origin %s since it began, and keeps it: remove origin, or begin a new log", o.origin, has)
	}
	return nil
}

// before is what stands before the usual origin of the log.
func (o *Options) before() string {
	before, _, _ := audit.SplitOrigin(o.origin)
	return before
}
