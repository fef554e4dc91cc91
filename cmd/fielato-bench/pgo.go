package main

import (
	"fmt"

	"github.com/fielato/fielato/cmd/fielato-bench/internal/pgo"
)

// forProfile is what -pgo sets: every way through the gateway, and the console. Plain proxies are not among
// it: a build is not to be optimized for what it is compared with.
var forProfile = map[string]string{
	"targets": "enforce,soap,tosoap,soaptosoap,builtin,console", "connections": "32", "duration": "5s", "rounds": "1", "repeats": "0",
}

// profileForBuilds makes a profile for builds of the targets' profiles. None is made of a run with failures.
func (r *report) profileForBuilds(o options) error {
	if o.pgo == "" || r.failed() > 0 {
		return nil
	}
	return pgo.MergeFolder(o.cpuprofile, o.pgo, fmt.Sprintf("fielato-bench -pgo, %s, %s, Caddy %s", r.Go, r.System, r.Caddy))
}
