package proving

import (
	"crypto/x509"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/timestamp"
)

// proofFlags are the flags about the signatures that something must have. A flag that a command does not bind asks
// for nothing.
type proofFlags struct {
	cli.WitnessFlags
	key, checkpoint, roots string
}

// bind adds all but --checkpoint. stamped is the object of the time-stamp.
func (f *proofFlags) bind(set *pflag.FlagSet, key, stamped string) {
	set.StringVar(&f.key, "key", "", key)
	f.BindWitnesses(set)
	set.StringVar(&f.roots, "timestamp-roots", "", "A PEM file with the root certificates of the time-stamping authority that has to have stamped "+stamped)
}

// demands are the content of proofFlags.
type demands struct {
	key       string // empty for none
	known     []byte // a checkpoint that was kept elsewhere, nil for none
	witnesses *cli.Witnesses
	authority *timestamp.Authority // nil for none
}

func (f *proofFlags) read() (d demands, err error) {
	if f.key != "" {
		if d.key, err = cli.ParseVerifier(f.key); err != nil {
			return d, err
		}
	}
	if f.checkpoint != "" {
		if d.known, err = os.ReadFile(f.checkpoint); err != nil {
			return d, fmt.Errorf("--checkpoint: %w", err)
		}
	}
	if d.witnesses, err = f.WitnessFlags.Read(); err == nil && f.roots != "" {
		d.authority, err = readRoots(f.roots)
	}
	return d, err
}

// maxRoots bounds the file of --timestamp-roots. The roots of a system take some hundred kilobytes.
const maxRoots = 16 << 20

func readRoots(path string) (*timestamp.Authority, error) {
	text, err := checkpoint.ReadAtMost(path, maxRoots)
	var roots []*x509.Certificate
	if err == nil {
		roots, err = timestamp.ParseRoots(text)
	}
	if err != nil {
		return nil, fmt.Errorf("--timestamp-roots %s: %w", path, err)
	}
	return &timestamp.Authority{Roots: timestamp.Pool(roots)}, nil
}
