package postgres

import "github.com/jackc/pgx/v5"

const (
	invoiceColumns       = "cbte_desde, cbte_hasta, cbte_fch, code, emision_tipo, fch_vto, fch_proceso, detail, observaciones, lot"
	caeaColumns          = "code, cuit, periodo, orden, fch_vig_desde, fch_vig_hasta, fch_tope_inf, fch_proceso"
	sinMovimientoColumns = "code, pto_vta, fch_proceso"

	ofSeries = " WHERE cuit = $1 AND pto_vta = $2 AND cbte_tipo = $3"
)

const (
	selectSeries  = "SELECT last, last_fch FROM ledger_series" + ofSeries
	lockSeries    = selectSeries + " FOR UPDATE"
	tryLockSeries = lockSeries + " SKIP LOCKED"
	insertSeries  = "INSERT INTO ledger_series VALUES ($1, $2, $3, $4, $5)"
	updateSeries  = "UPDATE ledger_series SET last = $4, last_fch = $5" + ofSeries + " AND last = $6" +
		" AND $6 >= COALESCE((SELECT cbte_hasta FROM ledger_invoices" + ofSeries + " ORDER BY cbte_hasta DESC LIMIT 1), 0)"
	selectAllSeries = "SELECT cuit, pto_vta, cbte_tipo FROM ledger_series ORDER BY cuit, pto_vta, cbte_tipo"

	selectInvoice  = "SELECT " + invoiceColumns + " FROM ledger_invoices" + ofSeries + " AND cbte_hasta >= $4 ORDER BY cbte_hasta LIMIT 1"
	selectInvoices = "SELECT " + invoiceColumns + " FROM ledger_invoices" + ofSeries + " AND cbte_hasta > $4 ORDER BY cbte_hasta LIMIT $5"
	// insertInvoices takes an array for each column: a whole lot is one statement.
	insertInvoices = "INSERT INTO ledger_invoices (cuit, pto_vta, cbte_tipo, " + invoiceColumns + ", written) SELECT u.*, $14::INT8 FROM " +
		"unnest($1::INT8[], $2::INT8[], $3::INT8[], $4::INT8[], $5::INT8[], $6::TEXT[], $7::TEXT[], $8::TEXT[], $9::TEXT[], $10::TEXT[], $11::BYTEA[], $12::BYTEA[], $13::BYTEA[]) AS u"
	insertInvoiceOnce = insertInvoices + " ON CONFLICT DO NOTHING"
	writerOfInvoice   = "SELECT written FROM ledger_invoices" + ofSeries + " AND cbte_hasta = $4"

	insertReferences = "INSERT INTO ledger_asoc SELECT u.* FROM " +
		"unnest($1::INT8[], $2::INT8[], $3::INT8[], $4::INT8[], $5::INT8[], $6::INT8[], $7::INT8[], $8::INT8[]) AS u ON CONFLICT DO NOTHING"
	selectReferring = "SELECT by_cuit, by_pto_vta, by_cbte_tipo, by_hasta FROM ledger_asoc " +
		"WHERE cuit = $1 AND cbte_tipo = $2 AND pto_vta = $3 AND nro = $4 ORDER BY by_cuit, by_pto_vta, by_cbte_tipo, by_hasta"

	selectCAEA   = "SELECT " + caeaColumns + " FROM ledger_caea WHERE code = $1"
	selectCAEAOf = "SELECT " + caeaColumns + " FROM ledger_caea WHERE cuit = $1 AND periodo = $2 AND orden = $3"
	selectCAEAs  = "SELECT " + caeaColumns + " FROM ledger_caea WHERE code > $1 ORDER BY code LIMIT $2"
	insertCAEA   = "INSERT INTO ledger_caea (" + caeaColumns + ", written) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING"
	writerOfCAEA = "SELECT written FROM ledger_caea WHERE code = $1"

	selectUsed = "SELECT count(*) FROM ledger_caea_used WHERE code = $1 AND pto_vta = $2"
	insertUsed = "INSERT INTO ledger_caea_used VALUES ($1, $2) ON CONFLICT DO NOTHING"

	selectSinMovimiento    = "SELECT " + sinMovimientoColumns + " FROM ledger_sin_movimiento WHERE code = $1 ORDER BY pto_vta"
	selectAllSinMovimiento = "SELECT " + sinMovimientoColumns + " FROM ledger_sin_movimiento WHERE (code, pto_vta) > ($1, $2) ORDER BY code, pto_vta LIMIT $3"
	insertSinMovimiento    = "INSERT INTO ledger_sin_movimiento (" + sinMovimientoColumns + ", written) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
	writerOfSinMovimiento  = "SELECT written FROM ledger_sin_movimiento WHERE code = $1 AND pto_vta = $2"

	reserveSerials = "UPDATE ledger_serials SET value = GREATEST(value, $1, (SELECT s.value FROM ledger_serials s WHERE s.name = 'skipped')) + $2 " +
		"WHERE name = 'reserved' RETURNING value"
	selectSkipped = "SELECT value FROM ledger_serials WHERE name = 'skipped'"
	updateSkipped = "UPDATE ledger_serials SET value = $1 WHERE name = 'skipped'"
)

// orphaned bounds how long a transaction may be idle. Otherwise a transaction whose client
// has vanished would hold its series until TCP gives up. A function that pauses for longer
// between two questions fails, and is undone.
const orphaned = "; SET LOCAL idle_in_transaction_session_timeout = '30s'"

// The kinds of transactions: snapshot is for a View, locking for a group, serial for an
// Update alone.
//
// All Updates behave as if each ran alone. A group reads and writes only the rows of series
// that it has locked, and invoices of these. An Update alone locks each series that it
// reads, too, and the server refuses it (SQLSTATE 40001) if the series has changed since it
// began. All else, such as advance codes, references and the first invoice of a series, is
// written by serial transactions only, which the server keeps in order. A refused one runs
// again, for up to a minute (patience). Two that read each other's series may deadlock; the
// server ends that after a second, and the loser runs again.
var (
	snapshot = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"} //nolint:dupword // SQL
	locking  = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL READ COMMITTED" + orphaned}
	serial   = pgx.TxOptions{BeginQuery: "BEGIN ISOLATION LEVEL SERIALIZABLE" + orphaned}
)
