package auditcmd

import (
	"maps"
	"slices"

	"github.com/fielato/fielato/audit"
)

// purgedObject is the report of a purge for programs. With dry_run it is what a purge would do.
type purgedObject struct {
	Log    string        `json:"log"`
	Before string        `json:"before"`
	DryRun bool          `json:"dry_run"`
	Purged uint64        `json:"purged"`
	Held   uint64        `json:"held"`
	Bytes  int64         `json:"bytes"`
	Keys   int           `json:"keys"`
	Months []purgedMonth `json:"months"`
}

type purgedMonth struct {
	Month  string `json:"month"`
	Purged uint64 `json:"purged"`
	Held   uint64 `json:"held"`
}

func purgeObject(request audit.PurgeRequest, result audit.PurgeResult) purgedObject {
	total := result.Total()
	object := purgedObject{
		Log: request.Log, Before: request.Before.String(), DryRun: request.DryRun,
		Purged: total.Purged, Held: total.Held, Bytes: result.Bytes, Keys: result.Keys,
	}
	for _, period := range slices.Sorted(maps.Keys(result.Periods)) {
		count := result.Periods[period]
		object.Months = append(object.Months, purgedMonth{period.String(), count.Purged, count.Held})
	}
	return object
}

// acknowledged is the report of an acknowledgement for programs.
type acknowledged struct {
	Log     string `json:"log"`
	DryRun  bool   `json:"dry_run"`
	Records uint64 `json:"records"`
	Before  string `json:"before,omitzero"`
	// Record is the address of the acknowledgement; empty for a dry run.
	Record string `json:"record,omitzero"`
}
