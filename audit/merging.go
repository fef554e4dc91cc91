package audit

// Merging tells how far a store has merged the search index of a log. A search is complete at any time; while much
// is left to merge it takes longer.
type Merging struct {
	Log string
	// Records were to be merged, of which Merged were. Where the two are the same, all are.
	Records, Merged uint64
	// Err is why the store has stopped, nil if it has not. It tries again after some thousand records, and tells
	// the next error only once it has succeeded.
	Err error
}
