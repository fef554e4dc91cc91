package audit

import "maps"

// position is the position of a record whose commit was uncertain, and the salt that it has
// there.
type position struct {
	index uint64
	salt  [16]byte
}

func positions(entries []Entry) map[*Record]position {
	all := make(map[*Record]position, len(entries))
	for _, e := range entries {
		all[e.Record] = position{e.Index, e.Record.Salt}
	}
	return all
}

// keepConfirmed keeps the records of an uncertain batch that is in the log, as many as fit into one
// batch. They hold memory, and not every caller appends its record again.
func (w *Writer) keepConfirmed(records map[*Record]position) {
	if w.confirmed == nil || len(w.confirmed)+len(records) > w.options.MaxBatch {
		w.confirmed = map[*Record]position{}
	}
	maps.Copy(w.confirmed, records)
}

// answerConfirmed answers the callers that append a record again that is in the log already, and
// returns the others.
func (w *Writer) answerConfirmed(batch []*waiter) []*waiter {
	if len(w.confirmed) == 0 {
		return batch
	}
	others := batch[:0]
	for _, wt := range batch {
		at, there := w.confirmed[wt.entry.Record]
		if !there {
			others = append(others, wt)
			continue
		}
		delete(w.confirmed, wt.entry.Record)
		wt.entry.Index, wt.confirmed = at.index, &at
		wt.answer <- nil
	}
	clear(batch[len(others):])
	return others
}
