// Command generate writes the dashboards' JSON files. It runs in the folder grafana:
//
//	go generate ./grafana
//
// It is a package of its own because go generate runs a program, and what makes the dashboards is tested
// in package grafana.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/fielato/fielato/grafana"
)

func main() {
	for _, d := range grafana.Dashboards() {
		text, err := d.JSON()
		if err != nil {
			log.Fatal(err)
		}
		//nolint:gosec // dashboards are public
		if err := os.WriteFile(filepath.Join("dashboards", d.UID+".json"), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
