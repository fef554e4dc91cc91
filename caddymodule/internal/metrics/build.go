package metrics

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fielato/fielato/internal/version"
	"github.com/fielato/fielato/validate/rules"
)

// buildInfo identifies the build. It is made when it is needed first: each command would pay for the digest.
var buildInfo = sync.OnceValue(func() prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "wsfev1_build_info",
		Help: "Always 1. The labels have the versions of Fielato and Go, and a digest of the catalogue of rules: the same digest means the same rules.",
		ConstLabels: prometheus.Labels{
			"version": version.Read().Version, "goversion": runtime.Version(), "catalogue": catalogueDigest(rules.Catalogue()),
		},
	})
	info.Set(1)
	return info
})

// ProcessCollectors returns the collectors of the process, whatever is configured.
func ProcessCollectors() []prometheus.Collector {
	return []prometheus.Collector{buildInfo(), PanicsTotal}
}

// catalogueDigest returns the first eight hexadecimal digits of a SHA-256 over the rules.
func catalogueDigest(rules []rules.Rule) string {
	hash := sha256.New()
	for _, rule := range rules {
		fmt.Fprintf(hash, "%q\n", fmt.Sprintf("%+v", rule))
	}
	return hex.EncodeToString(hash.Sum(nil)[:4])
}
