// Package metrics is what the collectors of all rooms share: how a collector with labels
// is made, the buckets of durations, labels whose values are bounded, exemplars, and the
// registration with the registry of a configuration.
//
// A collector lives as long as the process, so that its value survives a reload; each
// configuration registers it anew. The collectors of a subject are declared where the
// subject is; here are those of the process and of access tickets.
package metrics
