package audit

import "maps"

// landing is the position of a record whose commit was uncertain, and the salt that it has
// there.
type landing struct {
	index uint64
	salt  [16]byte
}

func landings(entries []Entry) map[*Record]landing {
	all := make(map[*Record]landing, len(entries))
	for _, e := range entries {
		all[e.Record] = landing{e.Index, e.Record.Salt}
	}
	return all
}

// remember keeps the records of an uncertain batch that is in the log, as many as fit into one
// batch. They hold memory, and not every caller appends its record again.
func (w *Writer) remember(records map[*Record]landing) {
	if w.landed == nil || len(w.landed)+len(records) > w.options.MaxBatch {
		w.landed = map[*Record]landing{}
	}
	maps.Copy(w.landed, records)
}

// recognise answers the callers that append a record again that is in the log already, and
// returns the others.
func (w *Writer) recognise(batch []*waiter) []*waiter {
	if len(w.landed) == 0 {
		return batch
	}
	others := batch[:0]
	for _, wt := range batch {
		at, there := w.landed[wt.entry.Record]
		if !there {
			others = append(others, wt)
			continue
		}
		delete(w.landed, wt.entry.Record)
		wt.entry.Index, wt.landed = at.index, &at
		wt.answer <- nil
	}
	clear(batch[len(others):])
	return others
}
