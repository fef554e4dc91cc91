// Package grafana holds everything for watching a gateway: dashboards for Grafana, rules
// for Prometheus, and examples of how to run both.
//
// The dashboards are data ([Dashboards]); their JSON files under dashboards are made from
// it by `go generate ./grafana`, and a test fails when they are stale. The rules under
// prometheus are written by hand, with unit tests for promtool beside them.
package grafana

//go:generate go run ./generate
