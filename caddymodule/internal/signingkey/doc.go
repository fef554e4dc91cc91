// Package signingkey has the private key of a log: where it comes from (a file, a placeholder, an ssh-agent), which logs
// it has signed, the public half that a store names, and the origin of a new log, which is the name of its key.
package signingkey
