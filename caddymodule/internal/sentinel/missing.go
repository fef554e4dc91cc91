package sentinel

import (
	"go.uber.org/zap"

	"github.com/fielato/fielato/internal/once"
)

// ReportMissing returns a function that logs the invoices of a series that the service has and the trail
// has lost.
func ReportMissing(logger *zap.Logger) func(once.Missing) {
	return func(m once.Missing) {
		logger.Warn("the service has invoices that the trail has lost; its answers about them are in the trail now, and a repeat gets its CAE. "+
			"Where fewer are found than are missing, compare the others with the service (FECompConsultar)",
			zap.Int64("cuit", int64(m.Key.Cuit)), zap.Int32("pto_vta", m.Key.PtoVta), zap.Int32("cbte_tipo", m.Key.CbteTipo),
			zap.Int64("last_in_trail", m.Known), zap.Int64("last_at_service", m.Last),
			zap.Int64("missing", m.Last-m.Known), zap.Int("found", m.Found))
	}
}
