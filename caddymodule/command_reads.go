package caddymodule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/panics"
)

// addReadFlags adds what all commands need that read a trail.
func addReadFlags(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.String("log", "", "One log, where several gateways share the store (default: all, for what looks into several)")
	flags.String("admin", "", "Where log_reads is on: the admin API of the gateway that runs (default "+caddy.DefaultAdminListen+")")
	flags.String("key-file", "", "Where log_reads is on and no gateway runs: the log's private key (default: beside the store)")
}

// noteRead writes down that the command reads the trail, if the store says that this is
// to be: before anything is shown, by the gateway that runs, or else by itself. A command
// for which this fails shows nothing.
func noteRead(ctx context.Context, cmd *cobra.Command, store audit.Store, address storeAddress, what string) error {
	if on, err := readsAreLogged(ctx, store); err != nil || !on {
		return err
	}
	logs, err := logsOf(ctx, cmd, store)
	if err != nil {
		return err
	}
	gateway, err := noteByGateway(ctx, cmd, store, logs, what)
	if err != nil || gateway == nil {
		return err
	}
	itself := fmt.Errorf("the store has several logs: name the one to write into with --log: %s", strings.Join(logs, ", "))
	if len(logs) == 1 {
		read, err := newRead(ctx, store, logs[0], what)
		if err != nil {
			return err
		}
		itself = writeRead(ctx, cmd, address, read)
	}
	if itself != nil {
		return fmt.Errorf("nothing is shown: whoever reads this trail is written down (log_reads), which was not possible; "+
			"give --admin with the address of the gateway's admin API if it runs, or --key-file with the log's private key if it does not: "+
			"by the gateway: %w; without it: %w", gateway, itself)
	}
	return nil
}

// newRead says what is read, to who writes this log.
func newRead(ctx context.Context, store audit.Store, log, what string) (*trailRead, error) {
	verifier, err := knownVerifier(ctx, store, log)
	return &trailRead{Log: log, PublicKey: verifier, Who: whoRuns(), What: what}, err
}

// gatewayPatience is how long the gateway has to write a reading down: who looks into the
// trail of one that hangs must be told so.
const gatewayPatience = 10 * time.Second

// noteByGateway makes the gateway at --admin write it down, into the log that it writes:
// which one that is, is found out by asking for each, the wanted ones first. A refusal says
// that no gateway of this store did.
func noteByGateway(ctx context.Context, cmd *cobra.Command, store audit.Store, wanted []string, what string) (refusal, err error) {
	ctx, cancel := context.WithTimeout(ctx, gatewayPatience)
	defer cancel()
	all, err := store.Logs(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the logs: %w", err)
	}
	others := slices.DeleteFunc(all, func(log string) bool { return slices.Contains(wanted, log) })
	for _, log := range slices.Concat(wanted, others) {
		read, err := newRead(ctx, store, log, what)
		if err != nil {
			return nil, err
		}
		refused := askGateway(ctx, cmd, read)
		if refused == nil {
			return nil, nil
		}
		if refusal == nil {
			refusal = refused
		}
		if ctx.Err() != nil {
			break
		}
	}
	return refusal, nil
}

// askGateway makes the gateway at --admin write it down. A question that is given up ends
// with the process: Caddy's client of the admin API cannot be told when to.
func askGateway(ctx context.Context, cmd *cobra.Command, read *trailRead) error {
	address, _ := cmd.Flags().GetString("admin")
	address = strings.TrimSuffix(strings.TrimPrefix(cmp.Or(address, caddy.DefaultAdminListen), "http://"), "/")
	asked := make(chan error, 1)
	go func() {
		asked <- panics.Do("asking the gateway", func() error { return askAt(address, read) })
	}()
	select {
	case err := <-asked:
		return err
	case <-ctx.Done():
		return fmt.Errorf("asking the gateway at %s: no answer within %s: %w", address, gatewayPatience, ctx.Err())
	}
}

func askAt(address string, read *trailRead) error {
	body, err := json.Marshal(read)
	if err != nil {
		return fmt.Errorf("asking the gateway: %w", err)
	}
	answer, err := caddycmd.AdminAPIRequest(address, http.MethodPost, readsPath, nil, strings.NewReader(string(body)))
	if err != nil {
		return fmt.Errorf("asking the gateway at %s: %w", address, err)
	}
	defer answer.Body.Close()
	// What else listens there may answer anything with 200.
	var done recordedAt
	if err := json.UnmarshalRead(answer.Body, &done); err != nil || !strings.HasPrefix(done.Record, read.Log+"/") {
		return fmt.Errorf("what answers at %s is no gateway of this trail", address)
	}
	return nil
}

const (
	// A command that writes down its reading holds the store for a moment only.
	writeAttempts = 5
	writePause    = 100 * time.Millisecond
)

// openUnlocked opens a SQLite store for writing, if need be when another command has left
// it.
func openUnlocked(ctx context.Context, path string, key *audit.ContentKey) (audit.Store, error) {
	for attempt := 1; ; attempt++ {
		store, err := auditsqlite.Open(path, auditsqlite.WithContentKey(key))
		switch {
		case err == nil:
			return store, nil
		case !errors.Is(err, auditsqlite.ErrLocked) || attempt == writeAttempts:
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(writePause):
		}
	}
}

// writeRead writes it down without a gateway.
func writeRead(ctx context.Context, cmd *cobra.Command, address storeAddress, read *trailRead) (err error) {
	store, err := address.kind.write(ctx, address.place, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if _, err := claim(ctx, store, read.Log); err != nil {
		return err
	}
	file, _ := cmd.Flags().GetString("key-file")
	key, _, err := keySource{file: cmp.Or(file, address.kind.keyFile(address.place, read.Log))}.open(ctx, store, read.Log)
	if err != nil {
		return err
	}
	trail, err := audit.Open(ctx, store, read.Log, key, audit.Options{})
	if err != nil {
		return err
	}
	_, err = trail.Append(ctx, read.record("", time.Now()))
	return errors.Join(err, trail.Close())
}

// whoRuns names the system's user and host.
func whoRuns() string {
	name := "unknown"
	if who, err := user.Current(); err == nil {
		name = cmp.Or(who.Username, who.Uid)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return name + "@" + host
}

// maxShownFlag is the longest value of a flag that is written down, in bytes: no filter
// needs more, and whatever credential was put in its place does.
const maxShownFlag = 64

// commandText is what a command was asked for: its name, filters and arguments, without
// where it reads and writes and without what may be a secret.
func commandText(cmd *cobra.Command) string {
	_, name, found := strings.Cut(cmd.CommandPath(), "wsfev1 ")
	if !found {
		name = cmd.CommandPath()
	}
	words := []string{name}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "store", "from", "to", "admin", "output":
			return
		}
		words = append(words, "--"+f.Name+"="+shownValue(f.Name, f.Value.String()))
	})
	for _, argument := range cmd.Flags().Args() {
		words = append(words, shownValue("", argument))
	}
	return strings.Join(words, " ")
}

func shownValue(name, value string) string {
	for _, secret := range []string{"key", "secret", "token", "sign", "password"} {
		if strings.Contains(name, secret) {
			return "…"
		}
	}
	switch {
	case len(value) > maxShownFlag, strings.Contains(value, privatePrefix):
		return fmt.Sprintf("(%d bytes)", len(value))
	case strings.ContainsAny(value, " \t\n\"") || value == "":
		return strconv.Quote(value)
	}
	return value
}
