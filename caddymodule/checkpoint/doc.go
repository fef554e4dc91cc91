// Package checkpoint publishes the newest checkpoint of a log to files and URLs, where
// those who can change the log cannot change it too.
//
// A Publisher runs as long as its configuration: it looks at the log at each interval, and
// once more at the end. A file is a witness as well: the log must continue what the file
// holds, at the start and before the file is replaced. The log is a Source, whatever keeps
// it. Errors, logs and metrics name a destination without the credentials in its URL.
package checkpoint
