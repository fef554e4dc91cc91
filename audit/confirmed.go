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
func (t *Trail) remember(records map[*Record]landing) {
	if t.landed == nil || len(t.landed)+len(records) > t.options.MaxBatch {
		t.landed = map[*Record]landing{}
	}
	maps.Copy(t.landed, records)
}

// recognise answers the callers that append a record again that is in the log already, and
// returns the others.
func (t *Trail) recognise(batch []*waiter) []*waiter {
	if len(t.landed) == 0 {
		return batch
	}
	others := batch[:0]
	for _, w := range batch {
		at, there := t.landed[w.entry.Record]
		if !there {
			others = append(others, w)
			continue
		}
		delete(t.landed, w.entry.Record)
		w.entry.Index, w.landed = at.index, &at
		w.answer <- nil
	}
	clear(batch[len(others):])
	return others
}
