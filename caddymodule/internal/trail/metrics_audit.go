package trail

import (
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/caddymodule/internal/backup"
	"github.com/fielato/fielato/internal/durable"
)

// auditGauges returns the gauges of the status of the open trails.
func auditGauges() []prometheus.Collector {
	return []prometheus.Collector{
		openTrails.Sum("wsfev1_audit_open_intents",
			"Intents without an outcome: requests under way, and those that a crash left among the newest 10000 records.",
			func(t *Trail) int { return t.status.openIntents() }),
		openTrails.Sum("wsfev1_audit_tree_size",
			"Records in the logs that this process writes: the size of their Merkle trees.",
			func(t *Trail) int { return int(t.Size()) }),
		openTrails.Sum("wsfev1_audit_queue_records",
			"Records waiting to become durable, including those of the current commit.",
			func(t *Trail) int { return t.writer.Waiting() }),
		openTrails.Least("wsfev1_audit_checkpoint_timestamp_seconds",
			"Time of the newest durable checkpoint, or of opening the log if nothing was written since, in seconds since 1970. The oldest of all open logs.",
			func(t *Trail) (float64, bool) { return float64(t.writer.Advanced().UnixMilli()) / 1000, true }),
		openTrails.Least("wsfev1_audit_disk_free_bytes",
			"Bytes that an unprivileged process may still write to the file system of an SQLite trail, the smallest of them. Absent for PostgreSQL and where unknown.",
			func(t *Trail) (float64, bool) {
				if t.file == "" {
					return 0, false
				}
				return durable.FreeSpace(filepath.Dir(t.file))
			}),
		openTrails.Least("wsfev1_audit_backup_timestamp_seconds",
			"Time of the newest backup of an SQLite trail by `fielato wsfev1 audit backup`, in seconds since 1970. The oldest of all trails that have one; absent if none has.",
			func(t *Trail) (float64, bool) {
				made, known := backup.MadeAt(t.file)
				return float64(made.Unix()), known
			}),
	}
}
