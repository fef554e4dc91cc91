// Package file keeps access tickets in files, for a gateway that shares them with no other: one
// process uses a folder. With them a restart does not have to wait for the window of the login service.
//
// Each entry is a file NAME.ticket of mode 0600 in a folder of mode 0700, which the first Save makes.
// It is replaced whole, and a saved entry outlives a power cut.
//
// The leases are in memory. All Stores of a folder in the process share them, such as the Stores of
// one configuration and the next. A restart ends all leases: their holders have ended with it.
package file
