package doctor

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/app"
	"github.com/fielato/fielato/caddymodule/internal/command/cli"
	"github.com/fielato/fielato/caddymodule/internal/layout"
	"github.com/fielato/fielato/wsfev1"
)

const configuration = "configuration"

// validity does what `fielato validate` does, and shows what of the routes is not as it was meant.
func validity(adapted []byte) (all []result) {
	refused := ""
	failures, err := app.Tries(func() error { return validate(adapted) })
	if err != nil {
		refused = cli.Explain(err.Error())
		all = append(all, bad(configuration, "mend what it names; the gateway does not start", "%s", refused))
	}
	for _, failure := range failures {
		if errors.Is(failure, fs.ErrPermission) {
			all = append(all, warn(configuration, "run doctor as the gateway's user", "%v", failure))
			continue
		}
		all = append(all, bad(configuration, "mend what it names; the gateway does not start", "%v", failure))
	}
	var problems []result
	for _, f := range findings(adapted) {
		where := strings.TrimSuffix(strings.TrimSuffix(f.String(), f.Cure), ": ")
		switch {
		case f.Refused && !strings.Contains(refused, f.Found):
			problems = append(problems, bad(configuration, f.Cure, "%s", where))
		case !f.Refused:
			all = append(all, warn(configuration, f.Cure, "%s", where))
		}
	}
	if all = append(problems, all...); all == nil {
		all = []result{ok(configuration, "valid")}
	}
	return all
}

// sites is what layout reads of a configuration.
type sites struct {
	Apps struct {
		HTTP struct {
			Grace   caddy.Duration               `json:"grace_period"`
			Servers map[string]*caddyhttp.Server `json:"servers"`
		} `json:"http"`
	} `json:"apps"`
}

// servers returns the servers in the order of their names, none if validate refuses the configuration.
func (s *sites) servers(adapted []byte) (all []*caddyhttp.Server) {
	if json.Unmarshal(adapted, s) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Apps.HTTP.Servers)) {
		all = append(all, s.Apps.HTTP.Servers[name])
	}
	return all
}

// findings returns the findings of layout.Review.
func findings(adapted []byte) (all []layout.Finding) {
	var read sites
	for _, server := range read.servers(adapted) {
		all = append(all, layout.Review(server, time.Duration(read.Apps.HTTP.Grace))...)
	}
	return all
}

// addressResults say by which addresses clients reach the gateways.
func addressResults(adapted []byte) (results []result) {
	var read sites
	for _, server := range read.servers(adapted) {
		for _, at := range layout.Addresses(server, wsfev1.PathPrefix) {
			found := "clients reach wsfev1 at " + at
			if strings.HasPrefix(at, "https:") {
				found += ", with https: one that is told http gets a redirect, which it may not follow"
			}
			results = append(results, ok("address", "%s", found))
		}
	}
	return results
}

// validate provisions a configuration as a start does.
func validate(adapted []byte) error {
	var config *caddy.Config
	if err := caddy.StrictUnmarshalJSON(caddy.RemoveMetaFields(adapted), &config); err != nil {
		return err
	}
	silence(config)
	return caddy.Validate(config)
}

// silence discards the logs that the configuration would write to the terminal.
func silence(config *caddy.Config) {
	discard := []byte(`{"output":"discard"}`)
	if config.Logging == nil {
		config.Logging = new(caddy.Logging)
	}
	if config.Logging.Logs == nil {
		config.Logging.Logs = map[string]*caddy.CustomLog{}
	}
	if config.Logging.Logs[caddy.DefaultLoggerName] == nil {
		config.Logging.Logs[caddy.DefaultLoggerName] = new(caddy.CustomLog)
	}
	for _, log := range config.Logging.Logs {
		var writer struct {
			Output string `json:"output"`
		}
		if log.WriterRaw == nil || json.Unmarshal(log.WriterRaw, &writer) == nil && slices.Contains([]string{"stderr", "stdout"}, writer.Output) {
			log.WriterRaw = discard
		}
	}
}

// Refusal returns what of the routes of a configuration keeps it from starting, empty for nothing. Without
// a file it is the Caddyfile in this folder, if there is one.
func Refusal(file, adapter string) string {
	defer cli.Quiet()()
	adapted, _, _, err := caddycmd.LoadConfig(file, adapter)
	if err != nil {
		return "" // the error is known
	}
	for _, f := range findings(adapted) {
		if f.Refused {
			return f.String()
		}
	}
	return ""
}
