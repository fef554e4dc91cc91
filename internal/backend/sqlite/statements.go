package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// statement names one of the prepared statements.
type statement int

const (
	begin statement = iota
	savepoint
	release
	commit
	selectSeries
	insertSeries
	updateSeries
	selectInvoice
	insertInvoice
	selectCAEA
	selectCAEAOf
	insertCAEA
	selectUsed
	insertUsed
	selectSinMovimiento
	insertSinMovimiento
	selectReferring
	insertReference
	selectSerial
	updateSerial
	selectAllSeries
	selectAllInvoices
	selectAllCAEAs
	selectAllSinMovimiento
	selectTables
	statementCount
)

const (
	invoiceColumns       = "id, cbte_desde, cbte_fch, code, emision_tipo, fch_vto, fch_proceso, detail, observaciones, lot"
	caeaColumns          = "code, cuit, periodo, orden, fch_vig_desde, fch_vig_hasta, fch_tope_inf, fch_proceso"
	sinMovimientoColumns = "code, pto_vta, fch_proceso"
)

var texts = [statementCount]string{
	begin:               "BEGIN IMMEDIATE",
	savepoint:           "SAVEPOINT job",
	release:             "RELEASE job",
	commit:              "COMMIT",
	selectSeries:        "SELECT id, last, last_fch FROM series WHERE cuit = ? AND pto_vta = ? AND cbte_tipo = ?",
	insertSeries:        "INSERT INTO series (cuit, pto_vta, cbte_tipo, last, last_fch) VALUES (?, ?, ?, 0, '')",
	updateSeries:        "UPDATE series SET last = ?, last_fch = ? WHERE id = ? AND last = ?",
	selectInvoice:       "SELECT " + invoiceColumns + " FROM invoices WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1",
	insertInvoice:       "INSERT INTO invoices (" + invoiceColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	selectCAEA:          "SELECT " + caeaColumns + " FROM caea WHERE code = ?",
	selectCAEAOf:        "SELECT " + caeaColumns + " FROM caea WHERE cuit = ? AND periodo = ? AND orden = ?",
	insertCAEA:          "INSERT INTO caea (" + caeaColumns + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
	selectUsed:          "SELECT count(*) FROM caea_used WHERE code = ? AND pto_vta = ?",
	insertUsed:          "INSERT INTO caea_used (code, pto_vta) VALUES (?, ?) ON CONFLICT DO NOTHING",
	selectSinMovimiento: "SELECT " + sinMovimientoColumns + " FROM sin_movimiento WHERE code = ? ORDER BY pto_vta",
	insertSinMovimiento: "INSERT INTO sin_movimiento (" + sinMovimientoColumns + ") VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
	selectReferring: "SELECT s.cuit, s.pto_vta, s.cbte_tipo, a.invoice & ((1 << 27) - 1) FROM asoc a JOIN series s ON s.id = a.invoice >> 27 " +
		"WHERE a.cuit = ? AND a.cbte_tipo = ? AND a.pto_vta = ? AND a.nro = ? ORDER BY s.cuit, s.pto_vta, s.cbte_tipo, a.invoice",
	insertReference:        "INSERT INTO asoc (cuit, cbte_tipo, pto_vta, nro, invoice) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
	selectSerial:           "SELECT last FROM serial",
	updateSerial:           "UPDATE serial SET last = ?",
	selectAllSeries:        "SELECT cuit, pto_vta, cbte_tipo FROM series WHERE last > 0 ORDER BY cuit, pto_vta, cbte_tipo",
	selectAllInvoices:      "SELECT " + invoiceColumns + " FROM invoices WHERE id BETWEEN ? AND ? ORDER BY id",
	selectAllCAEAs:         "SELECT " + caeaColumns + " FROM caea ORDER BY code",
	selectAllSinMovimiento: "SELECT " + sinMovimientoColumns + " FROM sin_movimiento ORDER BY code, pto_vta",
	selectTables:           "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> ? AND name NOT LIKE 'sqlite%'",
}

// statements are the prepared statements of one connection or pool.
type statements []*sql.Stmt

func prepareAll(ctx context.Context, on interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
},
) (statements, error) {
	prepared := make(statements, 0, statementCount)
	for _, text := range texts {
		stmt, err := on.PrepareContext(ctx, text)
		if err != nil {
			return prepared, fmt.Errorf("prepare %q: %w", text, err)
		}
		prepared = append(prepared, stmt)
	}
	return prepared, nil
}

func (s statements) close() error {
	var errs []error
	for _, stmt := range s {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(errs...)
}
