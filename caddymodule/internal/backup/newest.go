package backup

import (
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/durable"
)

// Newest is a note of the newest backup of a trail. It stands beside the trail's database, where
// the gateway reads it: so a backup needs neither the gateway nor a right to write the trail.
type Newest struct {
	Made    time.Time `json:"made"`
	File    string    `json:"file"`
	Records uint64    `json:"records"` // of all logs
}

// newestOf returns the path of the note for a database.
func newestOf(database string) string { return database + ".newest-backup" }

// Keep writes the note. The gateway's user may be another one than who has made the backup.
func (n Newest) Keep(database string) error {
	text, err := json.Marshal(n)
	if err == nil {
		err = durable.Replace(newestOf(database), append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("noting the backup beside the trail: %w", err)
	}
	return nil
}

// MadeAt returns when the newest backup of a database was made, false if none is known or there
// is no database.
func MadeAt(database string) (time.Time, bool) {
	if database == "" {
		return time.Time{}, false
	}
	text, err := os.ReadFile(newestOf(database))
	var n Newest
	if err != nil || json.Unmarshal(text, &n) != nil || n.Made.IsZero() {
		return time.Time{}, false
	}
	return n.Made, true
}
