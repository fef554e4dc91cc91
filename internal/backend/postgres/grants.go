package postgres

// The rights that a gateway's role needs besides CONNECT on the database and USAGE on the
// schema. Migrations must run as the owner of the tables. Replace the role's name with your
// own.
const (
	// GatewayGrants suffice to serve.
	GatewayGrants = `GRANT SELECT ON fielato_migrations TO fielato_gateway;
GRANT SELECT, INSERT, UPDATE ON ledger_series TO fielato_gateway;
GRANT SELECT, INSERT ON ledger_invoices, ledger_asoc, ledger_caea, ledger_caea_used, ledger_sin_movimiento TO fielato_gateway;
GRANT SELECT, UPDATE ON ledger_serials TO fielato_gateway`

	// ResetGrants are needed in addition to empty the ledger (Tx.Reset), and for nothing
	// else.
	ResetGrants = `GRANT DELETE ON ledger_series, ledger_invoices, ledger_asoc, ledger_caea, ledger_caea_used, ledger_sin_movimiento TO fielato_gateway`
)
