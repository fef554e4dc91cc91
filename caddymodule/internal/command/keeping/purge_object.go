package keeping

import (
	"maps"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
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
	// Retention is the log's, in whole years after a voucher's year.
	Retention int `json:"retention"`
	// Retained is what a dry run has found that must still be kept.
	Retained *retainedObject `json:"retained,omitzero"`
}

// retainedObject is a record that must still be kept.
type retainedObject struct {
	Record string `json:"record"`
	Year   int    `json:"year"`
	// MayGo is the first day on which it may go, AllMayGo the first for all that was asked for.
	MayGo    wsfev1.Date `json:"may_go"`
	AllMayGo wsfev1.Date `json:"all_may_go"`
}

type purgedMonth struct {
	Month  string `json:"month"`
	Purged uint64 `json:"purged"`
	Held   uint64 `json:"held"`
}

func purgeObject(done retainedPurge) purgedObject {
	request, result := done.request, done.result
	total := result.Total()
	object := purgedObject{
		Log: request.Log, Before: request.Before.String(), DryRun: request.DryRun,
		Purged: total.Purged, Held: total.Held, Bytes: result.Bytes, Keys: result.Keys, Retention: done.years,
	}
	if e := done.early; e != nil {
		object.Retained = &retainedObject{audit.Address(e.Log, e.Index), e.Year, e.MayGo(), e.AllMayGo()}
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
