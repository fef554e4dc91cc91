// Command foreign is a log of Tessera with files as its storage, whose checkpoints a witness cosigns: Tessera
// publishes none without that. It adds records, and prints size, root and time of the cosignature of
// the checkpoint that was published, as torchwood verifies them.
//
//	foreign FOLDER LOG-KEY WITNESS-KEY WITNESS-URL RECORDS
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"filippo.io/torchwood"
	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
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

func run(ctx context.Context, arguments []string) error {
	if len(arguments) != 5 {
		return errors.New("give a folder, two keys, an address and a number")
	}
	folder, secret, witness, address := arguments[0], arguments[1], arguments[2], arguments[3]
	records, err := strconv.Atoi(arguments[4])
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return err
	}
	policy := "witness w " + witness + " " + address + "\ngroup g 1 w\nquorum g\n"
	if err := add(ctx, folder, signer, policy, records); err != nil {
		return err
	}
	log, err := torchwood.NewVerifierFromSigner(secret)
	if err != nil {
		return err
	}
	return show(folder, log, witness)
}

// add adds records, and waits until a checkpoint that covers them is published.
func add(ctx context.Context, folder string, signer note.Signer, policy string, records int) error {
	witnesses, err := tessera.NewWitnessGroupFromPolicy([]byte(policy))
	if err != nil {
		return err
	}
	driver, err := posix.New(ctx, posix.Config{Path: folder})
	if err != nil {
		return err
	}
	options := tessera.NewAppendOptions().WithCheckpointSigner(signer).WithBatching(uint(records), 10*time.Millisecond).
		WithCheckpointInterval(100*time.Millisecond).WithWitnesses(witnesses, &tessera.WitnessOptions{})
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, options)
	if err != nil {
		return err
	}
	published := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, 10*time.Millisecond)
	var added []tessera.IndexFuture
	for i := range records {
		added = append(added, appender.Add(ctx, tessera.NewEntry(fmt.Appendf(nil, "%d of %v", i, time.Now()))))
	}
	for _, one := range added {
		if _, _, err := published.Await(ctx, one); err != nil {
			return err
		}
	}
	return shutdown(ctx)
}

// show verifies the checkpoint that is published, by the policy that both must have signed.
func show(folder string, log note.Verifier, witness string) error {
	signed, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		return err
	}
	cosigner, err := torchwood.NewCosignatureVerifier(witness)
	if err != nil {
		return err
	}
	policy := torchwood.ThresholdPolicy(3, torchwood.OriginPolicy(log.Name()), torchwood.SingleVerifierPolicy(log), torchwood.SingleVerifierPolicy(cosigner))
	checkpoint, opened, err := torchwood.VerifyCheckpoint(signed, policy)
	if err != nil {
		return err
	}
	for _, signature := range opened.Sigs {
		if signature.Name != cosigner.Name() {
			continue
		}
		seconds, err := torchwood.CosignatureTimestamp(signature)
		if err != nil {
			return err
		}
		fmt.Println(checkpoint.N, checkpoint.Hash, seconds)
		return nil
	}
	return errors.New("the witness has not signed it")
}
