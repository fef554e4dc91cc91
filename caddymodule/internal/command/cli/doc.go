// Package cli has the parts that the commands share: the flags that name a store, the session that opens
// it, progress, exit statuses, and errors about wrong use.
//
// A Session is an opened store with its content key and its logs. It writes down that the
// trail is read, where the trail wants that, before the first record is read.
//
// Finish gives all commands of a tree their common parts: the exit status of wrong use, suggestions, and
// completion. ExitStatuses has the meaning of each status.
package cli
