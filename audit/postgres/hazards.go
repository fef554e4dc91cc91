package postgres

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
)

// What hazards are read from. Other engines that speak the protocol lack some of it: each is asked for
// by itself. A logical subscriber is no replica, nor is a base backup or a receiver of the archive.
const (
	selectSetting  = `SELECT coalesce(current_setting($1, true), '')`
	selectRecovery = `SELECT CASE WHEN pg_is_in_recovery() THEN 'on' ELSE 'off' END`
	selectReplicas = `SELECT count(*)::text FROM pg_stat_replication r WHERE r.application_name NOT LIKE 'pg\_%'
		AND NOT EXISTS (SELECT 1 FROM pg_replication_slots s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')`
)

// Hazards implements audit.Hazardous.
func (s *Store) Hazards(ctx context.Context) (all []audit.Hazard, err error) {
	read := func(query string, args ...any) (value string) {
		if err != nil {
			return ""
		}
		failed := s.pool.Read(ctx, func() error { return s.pool.QueryRow(ctx, query, args...).Scan(&value) })
		if failed != nil && (postgres.IsLost(failed) || ctx.Err() != nil) {
			err = s.pool.Explain("looking at the settings of", failed)
		}
		return value
	}
	add := func(kind audit.HazardKind, cure, found string, args ...any) {
		all = append(all, audit.Hazard{Kind: kind, Found: fmt.Sprintf(found, args...), Cure: cure})
	}
	if read(selectRecovery) == "on" {
		add(audit.HazardRecovery, "give the address of the primary, or target_session_attrs=read-write in the DSN",
			"the server is a replica: what it shows may be older than what was acknowledged")
	}
	commit, standbys := read(selectSetting, "synchronous_commit"), read(selectSetting, "synchronous_standby_names")
	switch {
	case commit == "off":
		add(audit.HazardCommit, "set synchronous_commit = on for the server, the database or the role of the gateway",
			"synchronous_commit is off: a crash of the server loses acknowledged records")
	case commit == "local" && standbys != "":
		add(audit.HazardCommit, "set synchronous_commit = on for the server, the database or the role of the gateway",
			"synchronous_commit is local: a failover to a replica loses acknowledged records")
	}
	if read(selectSetting, "fsync") == "off" {
		add(audit.HazardDisk, "set fsync = on for the server", "fsync is off: a power cut of the server loses acknowledged records, or the database")
	}
	if replicas := read(selectReplicas); replicas != "" && replicas != "0" && standbys == "" {
		add(audit.HazardReplica, "set synchronous_standby_names, or fail over to no replica that lags",
			"no commit waits for a replica (synchronous_standby_names is empty), and %s follow: after a failover to one the newest acknowledged records are gone", replicas)
	}
	return all, err
}
