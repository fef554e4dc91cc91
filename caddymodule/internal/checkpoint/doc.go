// Package checkpoint publishes the newest checkpoint of a log to files and URLs, out of
// reach of those who can change the log.
//
// A Publisher runs as long as its configuration. It checks the log at each interval, and once more at the
// end. A file is a witness as well: at the start, and before the file is replaced, the log must continue
// the checkpoint in the file. The log is a Source, whatever keeps it. Errors, logs and metrics name a
// destination without the credentials in its URL.
package checkpoint
