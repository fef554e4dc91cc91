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
	"github.com/fielato/fielato/caddymodule/stores"
)

// session is a store that a command has opened for reading. With log_reads on, the access is
// recorded in the trail before anything is shown.
type session struct {
	cmd     *cobra.Command
	flags   *trailFlags
	address storeAddress
	store   audit.Store
	// purger is the same store opened for purging; nil outside of withPurger.
	purger audit.Purger
	// listed caches the logs of the store.
	listed []string
}

// openSession opens a store for reading, with the key of its content, or nil.
func openSession(ctx context.Context, cmd *cobra.Command, flags *trailFlags, address storeAddress, key *audit.ContentKey) (*session, error) {
	store, err := address.kind.read(ctx, address.place, key)
	if err != nil {
		return nil, err
	}
	return &session{cmd: cmd, flags: flags, address: address, store: store}, nil
}

// withStore opens the store that the flags name for do.
func withStore(cmd *cobra.Command, flags *storeFlags, do func(context.Context, *session) error) error {
	return withSession(cmd, flags, flags.content, func(ctx context.Context, s *session, _ *audit.ContentKey) error { return do(ctx, s) })
}

// withPurger opens the store that the flags name for do, to read and to purge. An interrupt
// ends the context of do.
func withPurger(cmd *cobra.Command, flags *storeFlags, do func(context.Context, *session) error) error {
	return withSession(cmd, flags, contentUnread, func(ctx context.Context, s *session, key *audit.ContentKey) error {
		purger, err := s.address.kind.purger(ctx, s.address.place, key)
		if err != nil {
			return err
		}
		s.purger = purger
		ctx, stop := untilInterrupted(ctx)
		defer stop()
		return do(ctx, s)
	})
}

// withSession opens the store for do, which gets the content key as well. It closes what is
// open then.
func withSession(cmd *cobra.Command, flags *storeFlags, use contentUse, do func(context.Context, *session, *audit.ContentKey) error) error {
	address, err := addressOfStore("store", flags.store, stores.AuditFile)
	if err != nil {
		return err
	}
	key, err := flags.contentKey()
	if err != nil {
		return err
	}
	readKey := key
	if use == contentUnread {
		readKey = nil
	}
	ctx := cmd.Context()
	s, err := openSession(ctx, cmd, flags.trailFlags, address, readKey)
	if err != nil {
		return err
	}
	if err = s.noteRead(ctx); err == nil {
		s.store = newSealedNotice(s.store, cmd.ErrOrStderr(), use)
		err = do(ctx, s, key)
	}
	return errors.Join(err, s.close())
}

func (s *session) close() (err error) {
	if s.purger != nil {
		err = s.purger.Close()
	}
	return errors.Join(err, s.store.Close())
}

// allLogs returns the logs of the store. It lists them once.
func (s *session) allLogs(ctx context.Context) ([]string, error) {
	if s.listed != nil {
		return s.listed, nil
	}
	all, err := s.store.Logs(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the logs: %w", err)
	}
	s.listed = all
	return all, nil
}

// logs returns the log of --log, or all logs of the store.
func (s *session) logs(ctx context.Context) ([]string, error) {
	all, err := s.allLogs(ctx)
	name := s.flags.log
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, errors.New("no gateway has written to this store")
	case name == "":
		return all, nil
	case !slices.Contains(all, name):
		return nil, fmt.Errorf("--log %s: the store has no such log, it has %s", name, strings.Join(all, ", "))
	}
	return []string{name}, nil
}

// log returns the log of --log, or the only one of the store.
func (s *session) log(ctx context.Context) (string, error) {
	logs, err := s.logs(ctx)
	if err != nil {
		return "", err
	}
	if len(logs) > 1 {
		return "", fmt.Errorf("the store has several logs: name one of them with --log: %s", strings.Join(logs, ", "))
	}
	return logs[0], nil
}

// untilInterrupted returns a context that ends with an interrupt.
func untilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
