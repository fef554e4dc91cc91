package sqlite

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/internal/segment"
)

// logState is the writer's memory of a log. A commit that fails forgets all logs, so that the next
// one reads the file again.
type logState struct {
	*segment.State
	id int64
}

// state returns the state of the log, and reads the file if it is not in memory. A new log gets its
// number.
func (s *Store) state(ctx context.Context, log string) (*logState, error) {
	if state, ok := s.logs[log]; ok {
		return state, nil
	}
	if err := s.register(ctx, log); err != nil {
		return nil, file.Explain(s.path, "writing", err)
	}
	view, err := readView(ctx, s.writer, log)
	if err != nil {
		return nil, file.Explain(s.path, "reading", err)
	}
	if view.log > maxLog {
		return nil, fmt.Errorf("%s has too many logs", s.path)
	}
	state := &logState{id: view.log}
	if state.State, err = segment.NewState(ctx, s.written(view.log), s.vault, log, view.View); err != nil {
		return nil, err
	}
	s.logs[log] = state
	return state, nil
}

// written are the rows of a log as the writer sees them.
func (s *Store) written(log int64) rows { return rows{s.path, log, s.writer, s.index, nil} }

// register gives the log a number if it has none. The transaction is explicit
// because it must fail if one were still open: a commit inside of that one would
// be acknowledged and not be durable.
func (s *Store) register(ctx context.Context, log string) error {
	if _, err := s.writer.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	_, err := s.writer.ExecContext(ctx, "INSERT INTO logs (name) VALUES (?) ON CONFLICT DO NOTHING", log)
	if err == nil {
		_, err = s.writer.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = s.writer.ExecContext(ctx, "ROLLBACK") // a full disk has ended it already
	}
	return err
}
