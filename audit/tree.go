package audit

import (
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

const (
	// TileHeight is the number of levels of the tree in one tile. It is part of
	// what stores keep: it never changes.
	TileHeight = 8
	// TileWidth is the number of hashes in a tile.
	TileWidth = 1 << TileHeight
	// TileBytes is the length of a tile's hashes.
	TileBytes = TileWidth * tlog.HashSize
)

// Tile is a full tile of the tree: the hashes of TileWidth neighbouring subtrees of
// the same size. The tiles of level 0 hold leaf hashes, a hash of level 1 covers a tile of
// level 0, and so on.
type Tile struct {
	Level  int
	N      uint64 // the first hash is the one of subtree N*TileWidth
	Hashes []byte // TileBytes
}

// Tree is the right edge of the Merkle tree of a log (RFC 6962, section 2.1): memory that grows
// with the logarithm of the size. The zero Tree is empty. It is not for concurrent use.
type Tree struct {
	size uint64
	// roots are the roots of the full subtrees that the tree falls into, the largest
	// first: one for each bit that is set in size.
	roots []tlog.Hash
	// edges has, for each level of tiles, the hashes of the tile that is not full.
	edges [][]byte
}

// Size returns the number of leaves.
func (t *Tree) Size() uint64 { return t.size }

// Root returns the tree hash.
func (t *Tree) Root() tlog.Hash {
	if len(t.roots) == 0 {
		empty, _ := tlog.TreeHash(0, nil) // reads nothing, so that it cannot fail
		return empty
	}
	root := t.roots[len(t.roots)-1]
	for _, left := range slices.Backward(t.roots[:len(t.roots)-1]) {
		root = tlog.NodeHash(left, root)
	}
	return root
}

// Add puts a leaf at the end, and returns tiles with those that it completes
// appended, the lowest level first.
func (t *Tree) Add(leaf tlog.Hash, tiles []Tile) []Tile {
	tiles = t.fill(0, leaf, tiles)
	hash := leaf
	for level := 1; level <= bits.TrailingZeros64(t.size+1); level++ {
		last := len(t.roots) - 1
		hash = tlog.NodeHash(t.roots[last], hash)
		t.roots = t.roots[:last]
		if level%TileHeight == 0 {
			tiles = t.fill(level/TileHeight, hash, tiles)
		}
	}
	t.roots = append(t.roots, hash)
	t.size++
	return tiles
}

func (t *Tree) fill(level int, hash tlog.Hash, tiles []Tile) []Tile {
	if level == len(t.edges) {
		t.edges = append(t.edges, nil)
	}
	edge := t.edges[level]
	if edge == nil {
		edge = make([]byte, 0, TileBytes)
	}
	edge = append(edge, hash[:]...)
	if len(edge) == TileBytes {
		n := t.size >> ((level + 1) * TileHeight)
		tiles, edge = append(tiles, Tile{Level: level, N: n, Hashes: edge}), nil
	}
	t.edges[level] = edge
	return tiles
}

// Edge returns the hashes of the last tile of a level, while it is not full. They are the
// tree's own, and good until the next Add.
func (t *Tree) Edge(level int) []byte {
	if level >= len(t.edges) {
		return nil
	}
	return t.edges[level]
}

// fork returns a tree that grows on from here. If it is given up, t is as it was. If it is
// kept, t must not be used any more: the two share the memory of the edges.
func (t *Tree) fork() *Tree {
	return &Tree{size: t.size, roots: slices.Clone(t.roots), edges: slices.Clone(t.edges)}
}

// SubtreeRoot returns the root of the full subtree over these hashes, whose number is a
// power of two.
func SubtreeRoot(hashes []byte) tlog.Hash {
	if len(hashes) == tlog.HashSize {
		return tlog.Hash(hashes)
	}
	half := len(hashes) / 2
	return tlog.NodeHash(SubtreeRoot(hashes[:half]), SubtreeRoot(hashes[half:]))
}
