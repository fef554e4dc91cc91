// Package sentinel notices when a trail loses its end.
//
// A log that was put back from an older copy is sound by itself: only who has seen more of it can
// tell. So the newest signed checkpoint stands beside the private key too, in a file of its own (Tip),
// and a start compares the store with it. The file lags behind the log by a few seconds at most, as
// writing it must not slow a commit.
//
// A Sentinel is one goroutine for each open trail. It keeps the tip, and looks at the settings of a
// database by which acknowledged records may be lost (audit.Hazardous).
//
// A log that has lost its end is never written on. Records would get indexes that others had, and the
// key would sign a second history of the log: whoever has kept a checkpoint or a proof of the first one
// would find the log forked for ever. Nor are records put in place of the lost ones: a tree of the same
// size with other leaves is the same fork. So the log ends where it is, and another one goes on in the
// same store (Continue), under a new name: the old name and the time. Each log verifies by itself, no
// address is given twice, and the first record of the new log names the missing records. The gateway looks
// into all logs of its store for the invoices that it has issued, and asks the service for the rest before
// it issues in a series again (once.Settings.Restored).
package sentinel
