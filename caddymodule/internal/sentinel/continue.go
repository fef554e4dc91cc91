package sentinel

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/fielato/fielato/audit"
)

// successorOf returns the name of the setting that names the log which goes on after this one.
func successorOf(log string) string { return "goes-on-in/" + log }

// maxLogs bounds how often a log may have gone on.
const maxLogs = 1000

// Current returns the log that is written now under a gateway's name for it, and those before it,
// the oldest first.
func Current(ctx context.Context, store audit.Store, log string) (current string, before []string, err error) {
	for current = log; len(before) < maxLogs; {
		next, err := store.Setting(ctx, successorOf(current))
		if err != nil {
			return "", nil, fmt.Errorf("reading in which log %q goes on: %w", current, err)
		}
		if len(next) == 0 {
			return current, before, nil
		}
		before, current = append(before, current), string(next)
	}
	return "", nil, fmt.Errorf("log %q goes on too often: the settings of the store were changed", log)
}

// CopySuccessor copies which log goes on after this one into another store, if that has it.
func CopySuccessor(ctx context.Context, from, to audit.Store, log string) error {
	next, err := from.Setting(ctx, successorOf(log))
	if err == nil && len(next) > 0 {
		var head audit.Head
		if head, err = to.Head(ctx, string(next)); err == nil && head.Checkpoint != nil {
			err = to.SetSetting(ctx, successorOf(log), next)
		}
	}
	if err != nil {
		return fmt.Errorf("copying in which log %q goes on: %w", log, err)
	}
	return nil
}

// suffix is what nextName adds.
var suffix = regexp.MustCompile(`\.\d{8}T\d{6}Z$`)

// First returns the name that the first of a log's predecessors has: the gateway's own.
func First(log string) string { return suffix.ReplaceAllString(log, "") }

// nextName returns the name of the log that goes on after this one. The time in it keeps the addresses of
// its records from being given twice: a copy of the store may be older than the last log.
func nextName(log string, now time.Time) string {
	return First(log) + now.UTC().Format(".20060102T150405Z")
}

// Continuation describes how a log goes on in another one.
type Continuation struct {
	// Lost counts the missing records.
	Lost *LostError
	// Key signs both logs.
	Key *audit.Key
	// Who and Reason are for the record.
	Who, Reason string
	Now         time.Time
	// Taken reports whether the key has signed a log of this name already: the store may be older
	// than that.
	Taken func(log string) bool
}

// Continue makes the log that goes on after one that has lost its end, with a record that says so, and
// returns its name. Nobody may write the lost log meanwhile. The gateway goes on in the new log once the
// setting is durable, which is the last step: an attempt that was interrupted leaves an unused log.
// before runs ahead of it, with the name of the new log.
func Continue(ctx context.Context, store audit.Store, c Continuation, before func(log string) error) (log string, err error) {
	log = nextName(c.Lost.Log, c.Now)
	head, err := store.Head(ctx, log)
	if err != nil {
		return "", fmt.Errorf("reading the head of log %q: %w", log, err)
	}
	if head.Checkpoint != nil || c.Taken(log) {
		return "", fmt.Errorf("there is a log %q already: run the command again in a second", log)
	}
	if err := writeFirst(ctx, store, log, c); err != nil {
		return "", err
	}
	if err := before(log); err != nil {
		return "", err
	}
	if err := store.SetSetting(ctx, successorOf(c.Lost.Log), []byte(log)); err != nil {
		return "", fmt.Errorf("keeping that log %q goes on in %q: %w", c.Lost.Log, log, err)
	}
	return log, nil
}

// writeFirst begins the log with a record about the missing ones.
func writeFirst(ctx context.Context, store audit.Store, log string, c Continuation) (err error) {
	writer, err := audit.Open(ctx, store, log, c.Key, audit.Options{First: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	_, err = writer.Append(ctx, &audit.Record{
		Kind: audit.KindAccess, ID: rand.Text(), Time: c.Now, Node: log, ClientIdentity: c.Who,
		Detail: fmt.Sprintf("audit continue-after-restore: the log %s had %d records when the checkpoint in %s was signed, and has %d here: "+
			"those from %d on are missing, and this log goes on. Reason: %s", c.Lost.Log, c.Lost.Had, c.Lost.Where, c.Lost.Has, c.Lost.Has, c.Reason),
	})
	return err
}
