package stores

import (
	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

// logMerging returns a function that logs how the merging of a search index goes on. It does so once after an
// upgrade, for a trail of an earlier build, and where a merging fails.
func logMerging(logger *zap.Logger) func(audit.Merging) {
	return func(m audit.Merging) {
		log := zap.String("log", m.Log)
		switch {
		case m.Err != nil:
			logger.Warn("the search index was not merged, so searches take longer; it is tried again after some thousand records", log, zap.Error(m.Err))
		case m.Merged < m.Records:
			logger.Info("merging the search index: until then, searches take longer", log,
				zap.Uint64("merged", m.Merged), zap.Uint64("records", m.Records))
		default:
			logger.Info("the search index is merged", log, zap.Uint64("records", m.Records))
		}
	}
}
