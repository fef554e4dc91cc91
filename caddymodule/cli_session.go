package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// logsOf returns the logs that a command is about: the flag's, or all of the store.
func logsOf(ctx context.Context, cmd *cobra.Command, store audit.Store) ([]string, error) {
	all, err := store.Logs(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("listing the logs: %w", err)
	case len(all) == 0:
		return nil, errors.New("no gateway has written to this store")
	}
	name, _ := cmd.Flags().GetString("log")
	switch {
	case name == "":
		return all, nil
	case !slices.Contains(all, name):
		return nil, fmt.Errorf("--log %s: the store has no such log, it has %s", name, strings.Join(all, ", "))
	}
	return []string{name}, nil
}

// logOf returns the log that a command is about which is about one: the flag's, or the
// store's only one.
func logOf(ctx context.Context, cmd *cobra.Command, store audit.Store) (string, error) {
	logs, err := logsOf(ctx, cmd, store)
	if err != nil {
		return "", err
	}
	if len(logs) > 1 {
		return "", fmt.Errorf("the store has several logs: name one of them with --log: %s", strings.Join(logs, ", "))
	}
	return logs[0], nil
}

// withStore opens the store that the flag names, for reading only. That it is read is
// written down before do sees it, where log_reads is on.
func withStore(cmd *cobra.Command, do func(context.Context, audit.Store) error) error {
	address, err := addressFlag(cmd, "store", auditFile)
	if err != nil {
		return err
	}
	key, err := contentKeyFlag(cmd)
	if err != nil {
		return err
	}
	store, err := address.kind.read(cmd.Context(), address.place, key)
	if err != nil {
		return err
	}
	if err := noteRead(cmd.Context(), cmd, store, address, commandText(cmd)); err != nil {
		return errors.Join(err, store.Close())
	}
	return errors.Join(do(cmd.Context(), newSealedNotice(store, cmd)), store.Close())
}

// purging is a store that a command has opened twice: to read, and to purge.
type purging struct {
	audit.Purger
	cmd     *cobra.Command
	store   audit.Store
	address storeAddress
}

// write writes into the log what is done with its content, and returns where it stands.
func (p *purging) write(ctx context.Context, log, about string, scope *audit.PurgeScope) (uint64, error) {
	return p.note(about, scope, 0, log).write(ctx)
}

func (p *purging) note(about string, scope *audit.PurgeScope, cuit wsfev1.CUIT, logs ...string) *accessNote {
	wish := trailRead{What: commandText(p.cmd), About: about, Cuit: cuit, Purge: (*purgeScope)(scope)}
	return &accessNote{cmd: p.cmd, store: p.store, address: p.address, wish: wish, logs: logs}
}

// withPurger opens the store that the flag names. An interrupt ends what do does in good
// order.
func withPurger(cmd *cobra.Command, do func(context.Context, *purging) error) error {
	address, err := addressFlag(cmd, "store", auditFile)
	if err != nil {
		return err
	}
	key, err := contentKeyFlag(cmd)
	if err != nil {
		return err
	}
	store, err := address.kind.read(cmd.Context(), address.place, nil)
	if err != nil {
		return err
	}
	if err := noteRead(cmd.Context(), cmd, store, address, commandText(cmd)); err != nil {
		return errors.Join(err, store.Close())
	}
	purger, err := address.kind.purger(cmd.Context(), address.place, key)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return errors.Join(do(ctx, &purging{purger, cmd, store, address}), purger.Close(), store.Close())
}
