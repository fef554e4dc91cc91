package trail

import "github.com/prometheus/client_golang/prometheus"

// auditGauges returns the gauges of the status of the open trails.
func auditGauges() []prometheus.Collector {
	return []prometheus.Collector{
		overTrails("wsfev1_audit_open_intents",
			"Intents that have no outcome: those on their way, and those that a crash left among the newest 10000 records.",
			func(t *Trail) int { return t.status.openIntents() }),
		overTrails("wsfev1_audit_tree_size",
			"Records in the logs that this process writes, which is the size of their Merkle trees.",
			func(t *Trail) int { return int(t.Size()) }),
		overTrails("wsfev1_audit_queue_records",
			"Records that wait until they are durable, those of the commit under way included.",
			func(t *Trail) int { return t.writer.Waiting() }),
		newLeastOfTrails("wsfev1_audit_checkpoint_timestamp_seconds",
			"When the newest records became durable under a signed checkpoint, or the log was opened and found sound if nothing was written since, in seconds since 1970: in the log where that is longest ago. There is none while no log is open.",
			func(t *Trail) (float64, bool) { return float64(t.writer.Advanced().UnixMilli()) / 1000, true }),
		newLeastOfTrails("wsfev1_audit_disk_free_bytes",
			"Bytes that an unprivileged process may still write to the file system of an SQLite trail: of the one with the least. There is none for PostgreSQL, and where the system does not tell.",
			func(t *Trail) (float64, bool) {
				if t.folder == "" {
					return 0, false
				}
				return DiskFree(t.folder)
			}),
	}
}
