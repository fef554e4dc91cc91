package cli

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
)

// Session is a store that a command has opened for reading. With log_reads on, the access is
// recorded in the trail before anything is shown.
type Session struct {
	Cmd     *cobra.Command
	flags   *TrailFlags
	Address StoreAddress
	Store   audit.Store
	// Purger is the same store opened for purging; nil outside of withPurger.
	Purger audit.Purger
	// listed caches the logs of the store.
	listed []string
}

// OpenSession opens a store for reading, with the key of its content, or nil.
func OpenSession(ctx context.Context, cmd *cobra.Command, flags *TrailFlags, address StoreAddress, key *audit.ContentKey) (*Session, error) {
	store, err := address.Kind.read(ctx, address.Place, key)
	if err != nil {
		return nil, err
	}
	return &Session{Cmd: cmd, flags: flags, Address: address, Store: store}, nil
}

// WithStore opens the store that the flags name for do.
func WithStore(cmd *cobra.Command, flags *StoreFlags, do func(context.Context, *Session) error) error {
	return withSession(cmd, flags, flags.Content, func(ctx context.Context, s *Session, _ *audit.ContentKey) error { return do(ctx, s) })
}

// WithLogs opens the store that the flags name for do, which gets the log of --log, or all logs.
func WithLogs(cmd *cobra.Command, flags *StoreFlags, do func(ctx context.Context, s *Session, logs []string) error) error {
	return WithStore(cmd, flags, func(ctx context.Context, s *Session) error {
		logs, err := s.Logs(ctx)
		if err != nil {
			return err
		}
		return do(ctx, s, logs)
	})
}

// WithRecord opens the store that the flags name for do, which gets the place of the record that Index names. A number
// alone is of the log of --log, or of the only one.
func WithRecord(cmd *cobra.Command, flags *StoreFlags, text string, do func(ctx context.Context, s *Session, log string, index uint64) error) error {
	log, index, err := parseIndex(text)
	if err != nil {
		return UsageError(err)
	}
	return WithStore(cmd, flags, func(ctx context.Context, s *Session) error {
		if log == "" {
			if log, err = s.Log(ctx); err != nil {
				return err
			}
		}
		return do(ctx, s, log, index)
	})
}

// WithPurger opens the store that the flags name for do, to read and to purge. An interrupt
// ends the context of do.
func WithPurger(cmd *cobra.Command, flags *StoreFlags, do func(context.Context, *Session) error) error {
	return withSession(cmd, flags, ContentCounted, func(ctx context.Context, s *Session, key *audit.ContentKey) error {
		purger, err := s.Address.Kind.Purger(ctx, s.Address.Place, key)
		if err != nil {
			return err
		}
		s.Purger = purger
		ctx, stop := UntilInterrupted(ctx)
		defer stop()
		return do(ctx, s)
	})
}

// withSession opens the store for do, which gets the content key as well. It closes the session in the end.
func withSession(cmd *cobra.Command, flags *StoreFlags, use contentUse, do func(context.Context, *Session, *audit.ContentKey) error) error {
	named, err := storeOf(flags.store)
	if err != nil {
		return UsageError(err)
	}
	key, err := flags.ContentKey()
	if err != nil {
		return UsageError(err)
	}
	ctx := cmd.Context()
	s, err := OpenSession(ctx, cmd, flags.TrailFlags, named.StoreAddress, key)
	if err != nil {
		return named.explain(err)
	}
	if err = s.NoteRead(ctx); err == nil {
		s.Store = newSealedNotice(s.Store, cmd.ErrOrStderr(), use)
		err = do(ctx, s, key)
	}
	return named.explain(errors.Join(err, s.Close()))
}

func (s *Session) Close() (err error) {
	if s.Purger != nil {
		err = s.Purger.Close()
	}
	return errors.Join(err, s.Store.Close())
}

// AllLogs returns the logs of the store. It lists them once.
func (s *Session) AllLogs(ctx context.Context) ([]string, error) {
	if s.listed != nil {
		return s.listed, nil
	}
	all, err := s.Store.Logs(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the logs: %w", err)
	}
	s.listed = all
	return all, nil
}

// Logs returns the log of --log, or all logs of the store.
func (s *Session) Logs(ctx context.Context) ([]string, error) {
	all, err := s.AllLogs(ctx)
	name := s.flags.Log
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

// Log returns the log of --log, or the only one of the store.
func (s *Session) Log(ctx context.Context) (string, error) {
	logs, err := s.Logs(ctx)
	if err != nil {
		return "", err
	}
	if len(logs) > 1 {
		return "", fmt.Errorf("the store has several logs: name one of them with --log: %s", strings.Join(logs, ", "))
	}
	return logs[0], nil
}

// UntilInterrupted returns a context that ends with an interrupt.
func UntilInterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}
