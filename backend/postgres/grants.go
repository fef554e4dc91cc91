package postgres

// The rights that the role of a gateway needs, besides CONNECT on the database and USAGE on
// the schema. The tables belong to the role that has migrated. Replace the role's name by
// your own.
const (
	// GatewayGrants are those of a gateway that serves.
	GatewayGrants = `GRANT SELECT ON fielato_migrations TO fielato_gateway;
GRANT SELECT, INSERT, UPDATE ON ledger_series TO fielato_gateway;
GRANT SELECT, INSERT ON ledger_invoices, ledger_asoc, ledger_caea, ledger_caea_used, ledger_sin_movimiento TO fielato_gateway;
GRANT SELECT, UPDATE ON ledger_serials TO fielato_gateway`

	// ResetGrants are those that it needs besides to empty the ledger (Tx.Reset), and for
	// nothing else.
	ResetGrants = `GRANT DELETE ON ledger_series, ledger_invoices, ledger_asoc, ledger_caea, ledger_caea_used, ledger_sin_movimiento TO fielato_gateway`
)
