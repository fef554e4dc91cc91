package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// applicationID marks the file as a ledger ("FILB"). A database of another program, or
// of the audit trail, is refused.
const applicationID = 0x46494C42

// numberBits is how many bits of invoices.id hold the invoice number, enough for
// backend.MaxNumber. Changing it makes every ledger unreadable.
const numberBits = 27

// migrations lead from each schema version to the next. PRAGMA user_version counts
// them. Append only.
//
// invoices.id is series.id << 27 | cbte_hasta: a single tree finds an invoice, keeps a
// series together and refuses a number given twice, and an insert touches one page.
// Amounts are part of detail, as exact decimals in JSON text. A row with a lot has several
// invoices (package rows); the trigger refuses a row that begins before the last one of its
// series ends, so that no two rows have the same number.
//
// asoc maps each voucher to the invoices that refer to it, as backend.References finds
// them in the detail. The step that creates asoc does the same in SQL for the invoices
// already in the file.
var migrations = []string{`
CREATE TABLE series (
	id        INTEGER PRIMARY KEY,
	cuit      INTEGER NOT NULL,
	pto_vta   INTEGER NOT NULL,
	cbte_tipo INTEGER NOT NULL,
	last      INTEGER NOT NULL,
	last_fch  TEXT    NOT NULL,
	UNIQUE (cuit, pto_vta, cbte_tipo)
) STRICT;
CREATE TABLE invoices (
	id            INTEGER PRIMARY KEY,
	cbte_desde    INTEGER NOT NULL,
	cbte_fch      TEXT    NOT NULL,
	code          TEXT    NOT NULL,
	emision_tipo  TEXT    NOT NULL,
	fch_vto       TEXT    NOT NULL,
	fch_proceso   TEXT    NOT NULL,
	detail        TEXT    NOT NULL,
	observaciones TEXT    NOT NULL
) STRICT;
CREATE TABLE caea (
	code          TEXT    NOT NULL PRIMARY KEY,
	cuit          INTEGER NOT NULL,
	periodo       INTEGER NOT NULL,
	orden         INTEGER NOT NULL,
	fch_vig_desde TEXT    NOT NULL,
	fch_vig_hasta TEXT    NOT NULL,
	fch_tope_inf  TEXT    NOT NULL,
	fch_proceso   TEXT    NOT NULL,
	UNIQUE (cuit, periodo, orden)
) STRICT, WITHOUT ROWID;
CREATE TABLE caea_used (
	code    TEXT    NOT NULL,
	pto_vta INTEGER NOT NULL,
	PRIMARY KEY (code, pto_vta)
) STRICT, WITHOUT ROWID;
CREATE TABLE sin_movimiento (
	code        TEXT    NOT NULL,
	pto_vta     INTEGER NOT NULL,
	fch_proceso TEXT    NOT NULL,
	PRIMARY KEY (code, pto_vta)
) STRICT, WITHOUT ROWID;
CREATE TABLE serial (last INTEGER NOT NULL) STRICT;
INSERT INTO serial VALUES (0);
`, `
CREATE TABLE asoc (
	cuit      INTEGER NOT NULL,
	cbte_tipo INTEGER NOT NULL,
	pto_vta   INTEGER NOT NULL,
	nro       INTEGER NOT NULL,
	invoice   INTEGER NOT NULL,
	PRIMARY KEY (cuit, cbte_tipo, pto_vta, nro, invoice)
) STRICT, WITHOUT ROWID;
INSERT INTO asoc
SELECT DISTINCT
	CASE WHEN a.value->>'Cuit' GLOB '[1-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]'
		THEN CAST(a.value->>'Cuit' AS INTEGER) ELSE s.cuit END,
	a.value->>'Tipo', a.value->>'PtoVta', a.value->>'Nro', i.id
FROM invoices i JOIN series s ON s.id = i.id >> 27, json_each(i.detail, '$.CbtesAsoc.CbteAsoc') a
WHERE instr(i.detail, '"CbtesAsoc"') > 0;
`, `
ALTER TABLE invoices ADD COLUMN lot BLOB;
CREATE TRIGGER invoices_follow BEFORE INSERT ON invoices
WHEN EXISTS (SELECT 1 FROM invoices WHERE id BETWEEN ((new.id >> 27) << 27) + new.cbte_desde AND ((new.id >> 27) + 1) << 27)
BEGIN
	SELECT RAISE(ABORT, 'the series has these numbers already');
END;
`}

var errForeign = errors.New("the file is a database of another program; name another path for the ledger")

// migrate brings the file to the newest schema. It takes the write lock first, because
// two processes may open a new file at the same time.
func migrate(ctx context.Context, conn *sql.Conn) (err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("lock: %w; let the process write the file and its folder", err)
	}
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK")
		}
	}()
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("the ledger has schema %d and this Fielato knows %d: use the newer Fielato that wrote it, or name another path",
			version, len(migrations))
	}
	for _, step := range migrations[version:] {
		if _, err := conn.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("schema: %w", err)
		}
	}
	if version < len(migrations) {
		mark := fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, len(migrations))
		if _, err := conn.ExecContext(ctx, mark); err != nil {
			return fmt.Errorf("schema version: %w", err)
		}
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("commit schema: %w", err)
	}
	return nil
}

// schemaVersion returns 0 for an empty file and errForeign for one that is no ledger.
func schemaVersion(ctx context.Context, conn *sql.Conn) (int, error) {
	var id, version, objects int
	err := conn.QueryRowContext(ctx, `SELECT a.application_id, v.user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id a, pragma_user_version v`).Scan(&id, &version, &objects)
	if err != nil {
		return 0, fmt.Errorf("read schema version: %w", err)
	}
	if id != applicationID && (id != 0 || version != 0 || objects != 0) {
		return 0, errForeign
	}
	return version, nil
}
