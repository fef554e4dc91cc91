// Package frame packs the columns of a segment: lists of items, and their compressed form. Stores are full
// of both, so that neither ever changes. It knows nothing of the items.
package frame
