package signingkey

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fielato/fielato/audit"
)

// Origin is the first line of a log's checkpoints that a configuration gives to a new log, empty for the usual one.
type Origin string

// Check returns an error if it can be the origin of no log.
func (o Origin) Check() error {
	if before, _, ok := audit.SplitOrigin(string(o)); o != "" && (!ok || before == "") {
		return errors.New("origin: write a domain of yours before the log's usual origin, such as ejemplo.com.ar/fielato/gw-1, without spaces and plus signs")
	}
	return nil
}

// CheckName returns an error if it is the origin of another log than this one.
func (o Origin) CheckName(log string) error {
	if _, of, _ := audit.SplitOrigin(string(o)); o == "" || of == log {
		return nil
	}
	return fmt.Errorf("origin %s: this log is called %s: write %s%s", o, log, o.before(), audit.Origin(log))
}

// CheckKey returns an error if a log that this key signs first would get another origin.
func (o Origin) CheckKey(key *audit.Key) error {
	name := audit.KeyName(key.Verifier())
	if o == "" || Origin(name).before() == o.before() {
		return nil
	}
	return fmt.Errorf("origin %s: the private key of the log was made with the name %s, and another origin needs a key of its own: "+
		"move that file away, so that a new one is made, or remove origin", o, name)
}

// CheckLog returns an error if a log with this checkpoint has another origin. It keeps the one that it began with.
func (o Origin) CheckLog(checkpoint []byte) error {
	has, _, _ := strings.Cut(string(checkpoint), "\n")
	if o == "" || Origin(has).before() == o.before() {
		return nil
	}
	return fmt.Errorf("origin %s: the log has the origin %s since it began, and keeps it: remove origin, or begin a new log", o, has)
}

// before is what stands before the usual origin of the log.
func (o Origin) before() string {
	before, _, _ := audit.SplitOrigin(string(o))
	return before
}
