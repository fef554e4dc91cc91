package layout

import (
	"fmt"
	"slices"
)

// checkLogin refuses a login service behind a handler that answers the requests for it. surely are the
// handlers that could get a request only after that one.
func checkLogin(front string, surely []step) error {
	if !slices.ContainsFunc(surely, func(p step) bool { return p.Name == loginHandler }) {
		return nil
	}
	return fmt.Errorf("wsfev1_wsaa stands behind %s, which answers every request for a login before it comes there: "+
		"put wsfev1_wsaa before it, or both outside of the block route, where wsfev1_wsaa comes first by itself", front)
}
