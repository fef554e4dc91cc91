// Package publiclog is the handler wsfev1_log: it shows the Merkle trees of the trail to programs of others, as
// C2SP's tlog-tiles has it. They read the newest checkpoint and the hashes below it, and see for themselves
// that the log only grows.
//
// No record is served: a hash covers 16 random bytes, so that nobody finds out what it is over. The package
// reads the stores of the gateways in the same configuration, and writes nothing.
package publiclog
