// Package metrics has the parts that the collectors of all packages share: constructors for collectors with
// labels, the buckets of durations, labels with a bounded set of values, exemplars, and the registration
// with the registry of a configuration.
//
// A collector lives as long as the process, so that its value survives a reload; each
// configuration registers it anew. Each package declares its own collectors; those
// of the process and of access tickets are here.
package metrics
