package witnesscmd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/witness"
)

const help = `
Runs a witness of logs (C2SP tlog-witness). A gateway sends it each new checkpoint of its
trail. The witness signs it if it continues all that it has signed before: nothing was
removed, changed or put in between. Whoever trusts the witness need not trust the gateway's
owner. It gets no records, only sizes, hashes and times.

  POST /add-checkpoint      asks for a cosignature
  GET /LOG/checkpoint       the newest cosigned checkpoint; LOG is the SHA-256 of the origin
  GET /                     a page for people

--log is the public key of a log, which its gateway logs as public_key when it starts. If the
origin of the log is not the name in the key, write the origin and a space before the key: a
gateway that goes on in a new log after a restoration signs that with the key that it has.

The first start makes the private key, and a file beside it, KEY.signed, that says what the
key has signed. A store that has less was restored from a backup: the witness does not
start, as it could sign a second history. If both files are restored together, nothing
shows that. A lost store or key is replaced by a new key with another name.

A checkpoint that the log's own key has signed, and that contradicts what the witness has
signed, is kept in the folder STORE.evidence. "witness check-evidence" judges it.

It speaks HTTP and listens on this machine: put a server with TLS in front of it.

Exit status:
  0  it was stopped, or the public key is printed
  2  it cannot run: wrong flags, the key or the store cannot be read, the store was restored,
     another process has the key or the address`

const examples = `  fielato wsfev1 witness --key witness.key --name ejemplo.com.ar/testigo --print-key
  fielato wsfev1 witness --listen 127.0.0.1:8087 --store witness.state --key witness.key --log fielato/gateway-1+3b9f1b2c+ASn2…
  fielato wsfev1 witness --store witness.state --key witness.key --log logs.txt`

type flags struct {
	listen, store, key, name string
	logs                     []string
	printKey                 bool
}

func (f *flags) bind(set *pflag.FlagSet) {
	set.StringVar(&f.listen, "listen", "127.0.0.1:8087", "The address to listen on, HOST:PORT")
	set.StringVar(&f.store, "store", "", "The file with the newest checkpoint of each log that was signed")
	set.StringVar(&f.key, "key", "", "The file with the private key, which the first start makes")
	set.StringVar(&f.name, "name", "", "The name of the witness, for the first start, such as ejemplo.com.ar/testigo")
	set.BoolVar(&f.printKey, "print-key", false, "Print the public key, and make the private one if there is none")
	bindLogs(set, &f.logs)
}

func bindLogs(set *pflag.FlagSet, logs *[]string) {
	set.StringArrayVar(logs, "log", nil, "The public key of a log, NAME+HASH+KEY, or \"ORIGIN NAME+HASH+KEY\", or a file with one a line; may be repeated")
}

// Command returns the command.
func Command() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:     "witness --store FILE --key FILE --log KEY [flags]",
		Short:   "Runs a witness, which signs that the log of a gateway was only appended to",
		Long:    help,
		Example: examples,
		Args:    cli.None,
		RunE:    func(cmd *cobra.Command, _ []string) error { return run(cmd, f) },
	}
	f.bind(cmd.Flags())
	cmd.AddCommand(checkEvidenceCommand())
	return cmd
}

func run(cmd *cobra.Command, f *flags) (err error) {
	if err := f.absolute(); err != nil {
		return err
	}
	if f.printKey {
		return printKey(cmd.OutOrStdout(), f)
	}
	if f.store == "" {
		return errors.New("--store is missing: name the file for what the witness has signed, which the first start makes")
	}
	if len(f.logs) == 0 {
		return errors.New("--log is missing: give the public key of a log, or a file with several")
	}
	logs, err := logKeys(f.logs)
	if err != nil {
		return err
	}
	lock, err := witness.LockKey(f.key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	key, err := openKey(f.key, f.name)
	if err != nil {
		return err
	}
	files, err := witness.OpenFiles(f.store, f.key, key.Verifier())
	if err != nil {
		return err
	}
	at, err := witness.New(key, logs, files, time.Now)
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilInterrupted(cmd.Context())
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	logger := caddy.Log().Named("wsfev1.witness")
	logger.Info("the witness is at work", zap.String("public_key", key.String()), zap.Strings("logs", at.Origins()))
	fmt.Fprintf(cmd.OutOrStdout(), "public key %s\nlistening on http://%s\n", key, listener.Addr())
	return serve(ctx, listener, newHandler(at, files, key, logger))
}

// absolute makes the paths absolute: errors name them, and the reader may be in another folder.
func (f *flags) absolute() (err error) {
	if f.key == "" {
		return errors.New("--key is missing: name the file with the private key, which the first start makes")
	}
	if f.key, err = filepath.Abs(f.key); err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	if f.store == "" {
		return nil // the public key is printed without a store
	}
	if f.store, err = filepath.Abs(f.store); err != nil {
		return fmt.Errorf("--store: %w", err)
	}
	return nil
}

// printKey prints the public key. It makes one where there is none: a gateway has to know it before the witness
// can be given a log.
func printKey(out io.Writer, f *flags) (err error) {
	key, err := readKey(f.key, f.name)
	if isMissing(err) {
		lock, failed := witness.LockKey(f.key)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
		key, err = openKey(f.key, f.name)
	}
	if err != nil {
		return err
	}
	return printLine(out, key)
}

func printLine(out io.Writer, key *cosignature.Key) error {
	if _, err := fmt.Fprintln(out, key); err != nil {
		return fmt.Errorf("printing the public key: %w", err)
	}
	return nil
}
