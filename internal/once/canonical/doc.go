// Package canonical writes the text from which the fingerprint of a request is made. Two requests have one form if
// the service would carry out the same for both; the journal and the queues of package once know a repeat by that.
//
// A typed request goes in, bytes come out: in the newest form (Append), and in each earlier one that a store may
// have (Forms.AppendOlder). A store says in a setting which forms its fingerprints may have; KeepForms and
// CopyForms keep that note. Their errors are the store's, or say that the note is of a newer build or of none.
//
// The package knows wsfev1 and the store's settings. It makes no fingerprint itself: the key belongs to the trail.
package canonical
