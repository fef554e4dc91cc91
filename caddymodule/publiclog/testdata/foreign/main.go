// Command foreign reads a log as strangers do, with torchwood's client and with Tessera's: it verifies the newest
// checkpoint, that it continues an older one, and that a record is in it. It prints what it has checked.
//
//	foreign PREFIX LOG-KEY OLDER-CHECKPOINT-FILE INDEX LEAF-HASH
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"time"

	"filippo.io/torchwood"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/client"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const patience = 30 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// asked is what a stranger knows beforehand.
type asked struct {
	prefix string
	key    note.Verifier
	older  torchwood.Checkpoint
	index  int64
	leaf   tlog.Hash
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) != 5 {
		return errors.New("give a prefix, a key, a file, a number and a hash")
	}
	key, err := note.NewVerifier(arguments[1])
	if err != nil {
		return err
	}
	signed, err := os.ReadFile(arguments[2])
	if err != nil {
		return err
	}
	older, _, err := torchwood.VerifyCheckpoint(signed, policyOf(key))
	if err != nil {
		return err
	}
	index, err := strconv.ParseInt(arguments[3], 10, 64)
	if err != nil {
		return err
	}
	leaf, err := base64.StdEncoding.DecodeString(arguments[4])
	if err != nil || len(leaf) != tlog.HashSize {
		return errors.New("the last argument is no hash")
	}
	a := &asked{arguments[0], key, older, index, tlog.Hash(leaf)}
	if err := a.byTorchwood(ctx); err != nil {
		return fmt.Errorf("torchwood: %w", err)
	}
	if err := a.byTessera(ctx); err != nil {
		return fmt.Errorf("tessera: %w", err)
	}
	return nil
}

func policyOf(key note.Verifier) torchwood.Policy {
	return torchwood.ThresholdPolicy(2, torchwood.OriginPolicy(key.Name()), torchwood.SingleVerifierPolicy(key))
}

// byTorchwood fetches the tiles that the two proofs need, each of which torchwood authenticates.
func (a *asked) byTorchwood(ctx context.Context) error {
	fetcher, err := torchwood.NewTileFetcher(a.prefix)
	if err != nil {
		return err
	}
	signed, err := fetcher.ReadEndpoint(ctx, "checkpoint")
	if err != nil {
		return err
	}
	newest, _, err := torchwood.VerifyCheckpoint(signed, policyOf(a.key))
	if err != nil {
		return err
	}
	hashes := torchwood.TileHashReaderWithContext(ctx, newest.Tree, fetcher)
	grown, err := tlog.ProveTree(newest.N, a.older.N, hashes)
	if err != nil {
		return err
	}
	if err := tlog.CheckTree(grown, newest.N, newest.Hash, a.older.N, a.older.Hash); err != nil {
		return err
	}
	included, err := tlog.ProveRecord(newest.N, a.index, hashes)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(included, newest.N, newest.Hash, a.index, a.leaf); err != nil {
		return err
	}
	fmt.Printf("torchwood: %d records, as %d before, record %d is in it\n", newest.N, a.older.N, a.index)
	return nil
}

func (a *asked) byTessera(ctx context.Context) error {
	prefix, err := url.Parse(a.prefix)
	if err != nil {
		return err
	}
	fetcher, err := client.NewHTTPFetcher(prefix, nil)
	if err != nil {
		return err
	}
	newest, _, _, err := client.FetchCheckpoint(ctx, fetcher.ReadCheckpoint, a.key, a.key.Name())
	if err != nil {
		return err
	}
	builder, err := client.NewProofBuilder(ctx, newest.Size, fetcher.ReadTile)
	if err != nil {
		return err
	}
	before, at := uint64(a.older.N), uint64(a.index)
	grown, err := builder.ConsistencyProof(ctx, before, newest.Size)
	if err != nil {
		return err
	}
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, before, newest.Size, grown, a.older.Hash[:], newest.Hash); err != nil {
		return err
	}
	included, err := builder.InclusionProof(ctx, at)
	if err != nil {
		return err
	}
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, at, newest.Size, a.leaf[:], included, newest.Hash); err != nil {
		return err
	}
	fmt.Printf("tessera: %d records, as %d before, record %d is in it\n", newest.Size, before, at)
	return nil
}
