// Package learned keeps what clients have been told by the service, for the rules: exchange rates, tables, and
// the largest lot. The rules hold requests against it, and refuse no code that the service lists.
package learned
