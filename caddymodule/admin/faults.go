package admin

import (
	"net/http"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/simulator"
)

// faultDocument is the document that /wsfev1/backend/faults of the admin API takes and returns.
type faultDocument struct {
	Seed   uint32                 `json:"seed"`
	Faults []simulator.FaultState `json:"faults"`
}

// serveFaults answers /wsfev1/backend/faults, always with the faults in force. PUT replaces all
// of them, DELETE removes all, and both reset the counts. They hold until the next PUT or
// DELETE, until a configuration that declares other faults, or until the process ends.
func serveFaults(a *app.App, w http.ResponseWriter, r *http.Request) error {
	board := simulator.BoardIn(a)
	if r.Method != http.MethodGet {
		var list simulator.FaultList
		if r.Method == http.MethodPut {
			var err error
			if list, err = readFaults(w, r); err != nil {
				return err
			}
		}
		j, err := simulator.NewInjector(list)
		if err != nil {
			return adminError(http.StatusBadRequest, err)
		}
		simulator.ReplaceFaults(j)
		board.Logger.Warn("the faults of the built-in service were set", zap.Strings("faults", j.Active()))
	}
	j := board.Injector.Load()
	return writeAdmin(w, faultDocument{j.Seed, j.States()})
}

// readFaults reads the document of a PUT. It ignores the counts, so that a document that was
// read can be put back as it is.
func readFaults(w http.ResponseWriter, r *http.Request) (simulator.FaultList, error) {
	var document faultDocument
	if err := readAdmin(w, r, &document); err != nil {
		return simulator.FaultList{}, err
	}
	list := simulator.FaultList{Seed: document.Seed}
	for _, f := range document.Faults {
		list.Faults = append(list.Faults, f.Fault)
	}
	return list, nil
}
