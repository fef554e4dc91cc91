package sqlite

import (
	"context"
	"fmt"
)

// LimitPages makes SQLite report a full disk when the file has so many pages more
// than now; a large number takes the limit away.
func (s *Store) LimitPages(more int) error {
	s.write.Lock()
	defer s.write.Unlock()
	var pages int
	if err := s.writer.QueryRowContext(context.Background(), "PRAGMA page_count").Scan(&pages); err != nil {
		return err
	}
	_, err := s.writer.ExecContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count=%d", pages+more))
	return err
}

// Exec runs a statement on the writing connection.
func (s *Store) Exec(statement string) error {
	s.write.Lock()
	defer s.write.Unlock()
	_, err := s.writer.ExecContext(context.Background(), statement)
	return err
}

// Unpack and Pack are the two ways between the items of a segment and a column of it.
func Unpack(column string, packed []byte) ([][]byte, error) {
	if column == "keys" {
		return unpackList(packed)
	}
	return unpackFrame(packed)
}

func Pack(column string, items [][]byte) []byte {
	if column == "keys" {
		return packList(nil, items)
	}
	return compress(packList(nil, items))
}
