package postgres

// The rights of each role, beside CONNECT on the database and USAGE on the schema. The tables
// belong to the role that has migrated, and to no other: an owner may do anything. Replace the
// names of the roles by your own.
const (
	// GatewayGrants are the rights of a gateway. It can add to the trail and change nothing
	// in it: the server refuses UPDATE and DELETE. The holds are for a copy of its log. This is
	// why each commit inserts a checkpoint, of some 250 bytes, instead of replacing the one
	// before.
	GatewayGrants = `GRANT SELECT ON fielato_migrations, audit_holds TO fielato_gateway;
GRANT SELECT, INSERT ON audit_segments, audit_blocks, audit_postings, audit_tiles, audit_checkpoints TO fielato_gateway;
GRANT SELECT, INSERT ON audit_runs, audit_lists, audit_data_keys, audit_secrets TO fielato_gateway;
GRANT SELECT, INSERT, UPDATE ON audit_settings, audit_leases, audit_series TO fielato_gateway`

	// ReaderGrants are the rights of a role that only reads and verifies (OpenReader).
	ReaderGrants = `GRANT SELECT ON fielato_migrations, audit_segments, audit_blocks, audit_postings, audit_tiles, audit_checkpoints,
	audit_runs, audit_lists, audit_data_keys, audit_secrets, audit_settings, audit_leases, audit_series, audit_holds TO fielato_reader`

	// PurgerGrants are the rights of a role that purges (OpenPurger). It can remove content and
	// data keys, and hold them. It cannot change the summaries that the tree is over.
	PurgerGrants = `GRANT SELECT ON fielato_migrations, audit_segments, audit_blocks, audit_postings, audit_tiles, audit_checkpoints,
	audit_runs, audit_lists, audit_data_keys, audit_secrets, audit_settings, audit_leases TO fielato_purger;
GRANT UPDATE (purged, key, content) ON audit_segments TO fielato_purger;
GRANT DELETE ON audit_data_keys TO fielato_purger;
GRANT SELECT, INSERT, DELETE ON audit_holds TO fielato_purger;
GRANT INSERT, UPDATE ON audit_leases TO fielato_purger`
)
