package postgres

import "github.com/fielato/fielato/internal/postgres"

// Migrations lead the schema of a ledger from each version to the next. Append only.
//
// Every key is natural: no row numbers have to be generated, and a Referrer needs no join.
//
// ledger_series has a row for each series that has an invoice. Issuing locks that row.
//
// written is a random number of the transaction that wrote the row. After the answer to a
// commit was lost, it shows whether the row is that transaction's.
//
// ledger_asoc maps each voucher to the invoices that refer to it, as backend.References
// finds them in the detail.
//
// A row of ledger_invoices with a lot has several invoices (package rows). No two rows of a
// series have the same number: updateSeries, in the transaction that writes a row, moves the
// end of the series only from where the numbers follow, and not while a row lies beyond it.
//
// ledger_serials has two rows. reserved is the end of the last block of serial numbers
// handed to a ledger. skipped is the number up to which none may be given any more.
var Migrations = postgres.Migrations{Component: "ledger", Steps: []string{`
CREATE TABLE ledger_series (
	cuit      INT8 NOT NULL,
	pto_vta   INT8 NOT NULL,
	cbte_tipo INT8 NOT NULL,
	last      INT8 NOT NULL,
	last_fch  TEXT NOT NULL,
	PRIMARY KEY (cuit, pto_vta, cbte_tipo)
);
CREATE TABLE ledger_invoices (
	cuit          INT8  NOT NULL,
	pto_vta       INT8  NOT NULL,
	cbte_tipo     INT8  NOT NULL,
	cbte_hasta    INT8  NOT NULL,
	cbte_desde    INT8  NOT NULL,
	cbte_fch      TEXT  NOT NULL,
	code          TEXT  NOT NULL,
	emision_tipo  TEXT  NOT NULL,
	fch_vto       TEXT  NOT NULL,
	fch_proceso   TEXT  NOT NULL,
	detail        BYTEA NOT NULL,
	observaciones BYTEA NOT NULL,
	written       INT8  NOT NULL,
	PRIMARY KEY (cuit, pto_vta, cbte_tipo, cbte_hasta)
);
CREATE TABLE ledger_asoc (
	cuit         INT8 NOT NULL,
	cbte_tipo    INT8 NOT NULL,
	pto_vta      INT8 NOT NULL,
	nro          INT8 NOT NULL,
	by_cuit      INT8 NOT NULL,
	by_pto_vta   INT8 NOT NULL,
	by_cbte_tipo INT8 NOT NULL,
	by_hasta     INT8 NOT NULL,
	PRIMARY KEY (cuit, cbte_tipo, pto_vta, nro, by_cuit, by_pto_vta, by_cbte_tipo, by_hasta)
);
CREATE TABLE ledger_caea (
	code          TEXT NOT NULL PRIMARY KEY,
	cuit          INT8 NOT NULL,
	periodo       INT8 NOT NULL,
	orden         INT8 NOT NULL,
	fch_vig_desde TEXT NOT NULL,
	fch_vig_hasta TEXT NOT NULL,
	fch_tope_inf  TEXT NOT NULL,
	fch_proceso   TEXT NOT NULL,
	written       INT8 NOT NULL,
	UNIQUE (cuit, periodo, orden)
);
CREATE TABLE ledger_caea_used (
	code    TEXT NOT NULL,
	pto_vta INT8 NOT NULL,
	PRIMARY KEY (code, pto_vta)
);
CREATE TABLE ledger_sin_movimiento (
	code        TEXT NOT NULL,
	pto_vta     INT8 NOT NULL,
	fch_proceso TEXT NOT NULL,
	written     INT8 NOT NULL,
	PRIMARY KEY (code, pto_vta)
);
CREATE TABLE ledger_serials (
	name  TEXT NOT NULL PRIMARY KEY,
	value INT8 NOT NULL
);
INSERT INTO ledger_serials VALUES ('reserved', 0), ('skipped', 0);
`, `
ALTER TABLE ledger_invoices ADD COLUMN lot BYTEA;
`}}

// emptied are the tables that Reset empties. ledger_series comes first, because all other
// writers wait for its rows. ledger_serials is kept.
var emptied = []string{
	"ledger_series", "ledger_invoices", "ledger_asoc", "ledger_caea", "ledger_caea_used", "ledger_sin_movimiento",
}
