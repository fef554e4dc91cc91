package run

import (
	"context"

	"github.com/fielato/fielato/audit"
)

const (
	// toldBlocks is how many blocks have to be left for the progress to be told: a gateway that merges
	// them as they come never leaves that many.
	toldBlocks = 128
	// toldMerges is how many merges are made between two reports.
	toldMerges = 16
)

// job is the merging of all that can be merged of a log.
type job struct {
	log  string
	rows Rows
	// write writes a step in one transaction.
	write func(ctx context.Context, step *Step) error
	tell  func(audit.Merging)
}

// run does the job, until it is done or the context ends.
func (j *job) run(ctx context.Context) error {
	merged, left, err := j.left(ctx)
	if err != nil {
		return err
	}
	total, much := merged+left, left >= uint64(toldBlocks*j.rows.Shape().Records)
	for merges := 0; ; merges++ {
		if much && merges%toldMerges == 0 && merged < total {
			j.tell(audit.Merging{Log: j.log, Records: total, Merged: merged})
		}
		m, err := Next(ctx, j.rows)
		if err != nil || m == nil {
			if much && err == nil {
				j.tell(audit.Merging{Log: j.log, Records: total, Merged: total})
			}
			return err
		}
		if err := j.merge(ctx, m); err != nil {
			return err
		}
		if m.row.Level == 1 {
			merged = min(m.row.Next, total)
		}
	}
}

// left returns how many records are in runs, and in blocks that are to become some.
func (j *job) left(ctx context.Context) (merged, left uint64, err error) {
	if merged, err = j.rows.End(ctx, 1); err != nil {
		return 0, 0, err
	}
	blocks, err := j.rows.Parts(ctx, 0, merged, 0)
	if n := len(blocks) / j.rows.Shape().Parts() * j.rows.Shape().Parts(); n > 0 {
		left = blocks[n-1].Next - merged
	}
	return merged, left, err
}

func (j *job) merge(ctx context.Context, m *Merge) error {
	for {
		step, err := m.Step(ctx)
		if err == nil {
			err = ctx.Err() // between two steps
		}
		if err == nil {
			err = j.write(ctx, step)
		}
		if err != nil || m.Done(step) {
			return err
		}
	}
}
