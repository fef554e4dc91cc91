package invoice

import "github.com/fielato/fielato/internal/jsonscan"

// plainDetails is Details for a request that is plain, as nearly all are. It reports whether the request is
// one; any other takes a decoder.
func plainDetails(request []byte) (found []Detail, isPlain bool) {
	p := jsonscan.NewPlain(request)
	plainBelow(p, 0, &found)
	return found, p.Done()
}

// plainBelow reads the invoices below an object on the way to them. The last list counts, even if there is none in it.
func plainBelow(p *jsonscan.Plain, depth int, found *[]Detail) {
	*found = nil
	if depth == len(detailPaths) {
		p.List(func() {
			var detail Detail
			p.Object(func(name []byte) { detail.note(name, p.Value()) })
			*found = append(*found, detail)
		})
		return
	}
	p.Object(func(name []byte) {
		if detailPaths[depth][string(name)] {
			plainBelow(p, depth+1, found)
		} else {
			p.Value()
		}
	})
}

// note takes what an invoice has of the detail. A value that is not plain is empty.
func (i *Detail) note(name, value []byte) {
	if len(value) == 0 {
		return
	}
	isText := value[0] == '"'
	switch string(name) {
	case `"CbteFch"`:
		if isText {
			i.date = string(value[1 : len(value)-1])
		}
	case `"MonId"`:
		if isText {
			i.currency = string(value[1 : len(value)-1])
		}
	case `"ImpTotal"`:
		if c := value[0]; c == '-' || '0' <= c && c <= '9' {
			i.total = string(value)
		}
	}
}
