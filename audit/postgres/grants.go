package postgres

// The rights that each role needs, besides CONNECT on the database and USAGE on the schema.
// The tables belong to the role that has migrated, and to no other: an owner may do anything.
// Replace the roles' names by your own.
const (
	// GatewayGrants are those of a gateway. It can add to the trail and change nothing that is
	// in it: the server refuses UPDATE and DELETE. The holds are for who copies its log.
	GatewayGrants = `GRANT SELECT ON fielato_migrations, audit_holds TO fielato_gateway;
GRANT SELECT, INSERT ON audit_segments, audit_blocks, audit_postings, audit_tiles, audit_checkpoints TO fielato_gateway;
GRANT SELECT, INSERT ON audit_data_keys, audit_secrets TO fielato_gateway;
GRANT SELECT, INSERT, UPDATE ON audit_settings, audit_leases, audit_series TO fielato_gateway`

	// ReaderGrants are those of who reads and verifies alone (OpenReader).
	ReaderGrants = `GRANT SELECT ON fielato_migrations, audit_segments, audit_blocks, audit_postings, audit_tiles, audit_checkpoints,
	audit_data_keys, audit_secrets, audit_settings, audit_leases, audit_series, audit_holds TO fielato_reader`

	// PurgerGrants are those of who purges (OpenPurger). It can take content and data keys away,
	// and hold them; of a record it cannot change what the tree is over.
	PurgerGrants = `GRANT SELECT ON fielato_migrations, audit_segments, audit_blocks, audit_postings, audit_tiles, audit_checkpoints,
	audit_data_keys, audit_secrets, audit_settings, audit_leases TO fielato_purger;
GRANT UPDATE (purged, key, content) ON audit_segments TO fielato_purger;
GRANT DELETE ON audit_data_keys TO fielato_purger;
GRANT SELECT, INSERT, DELETE ON audit_holds TO fielato_purger;
GRANT INSERT, UPDATE ON audit_leases TO fielato_purger`
)
