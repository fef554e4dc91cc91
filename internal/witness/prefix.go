package witness

import (
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// prefixRoot returns the root that a consistency proof from size n to size t is for. A log that has rewritten its
// history proves from a tree of its own, and so shows which one it has: if tlog.CheckTree takes the proof with
// this root, no other root at n can be part of the tree. It is false if the proof has the wrong length, or does
// not hold the root: where n is a power of 2, the verifier has to know it.
//
// The proof is the one of RFC 6962, section 2.1.2, whose hashes come from the lowest level to the highest one.
func prefixRoot(proof tlog.TreeProof, t, n uint64) (root tlog.Hash, ok bool) {
	if n == 0 || n >= t || bits.OnesCount64(n) == 1 {
		return root, false
	}
	lowest, left := uint64(0), []tlog.Hash(nil) // left are hashes of complete subtrees before the lowest one, the largest first
	for size := t; n-lowest != size; {
		if len(proof) == 0 {
			return root, false
		}
		last := proof[len(proof)-1]
		proof = proof[:len(proof)-1]
		half := uint64(1) << (bits.Len64(size-1) - 1)
		if n <= lowest+half {
			size = half // the last hash is the right half, which is behind n
			continue
		}
		left = append(left, last)
		lowest, size = lowest+half, size-half
	}
	if len(proof) != 1 {
		return root, false
	}
	root = proof[0]
	for _, before := range slices.Backward(left) {
		root = tlog.NodeHash(before, root)
	}
	return root, true
}
