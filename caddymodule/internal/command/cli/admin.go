package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/go-json-experiment/json"
	"github.com/spf13/pflag"

	"github.com/fielato/fielato/internal/panics"
)

// maxAdmin bounds how many bytes of an answer of the admin API are read.
const maxAdmin = 16 << 20

// AdminVariable is the environment variable with the address of the admin API where --admin and --address are left
// out.
const AdminVariable = "FIELATO_ADMIN"

// adminUsage ends the help of a flag that AdminVariable stands in for.
const adminUsage = "default: that of the environment variable " + AdminVariable

// adminAddress returns the address of --admin, else the variable's, else Caddy's default. source is how an error
// explains one that the command line does not name.
func (f *TrailFlags) adminAddress() (address, source string) {
	switch named := os.Getenv(AdminVariable); {
	case f.admin != "":
		return f.admin, ""
	case named != "":
		return named, " (named by " + AdminVariable + ")"
	}
	return caddy.DefaultAdminListen, " (the default, as neither --admin nor " + AdminVariable + " is set)"
}

// AskAdmin sends a request to the admin API of a process that runs, and returns the body of its answer. An
// empty address is Caddy's default. A request that the context ends continues until the process
// ends: Caddy's client of the admin API takes no context.
func AskAdmin(ctx context.Context, address, method, path string, body []byte) ([]byte, error) {
	address = strings.TrimSuffix(strings.TrimPrefix(cmp.Or(address, caddy.DefaultAdminListen), "http://"), "/")
	began := time.Now()
	type reply struct {
		body []byte
		err  error
	}
	asked := make(chan reply, 1)
	go func() {
		var r reply
		r.err = panics.Do("asking the gateway", func() (err error) {
			r.body, err = askAdmin(address, method, path, body)
			return err
		})
		asked <- r
	}()
	select {
	case r := <-asked:
		if r.err != nil {
			return nil, fmt.Errorf("asking the gateway at %s: %w", address, r.err)
		}
		return r.body, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("asking the gateway at %s: no answer within %s: %w", address, time.Since(began).Round(time.Second), ctx.Err())
	}
}

func askAdmin(address, method, path string, body []byte) ([]byte, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	answer, err := caddycmd.AdminAPIRequest(address, method, path, nil, content)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(io.LimitReader(answer.Body, maxAdmin))
}

// AdminFlags say where the admin API of the process that runs is, as the flags of `reload` do.
type AdminFlags struct{ address, config, adapter string }

// BindAdmin defines --address, --config and --adapter.
func (f *AdminFlags) BindAdmin(set *pflag.FlagSet) {
	set.StringVar(&f.address, "address", "", "With --now: the admin API of the process that runs ("+adminUsage+", or the one in --config)")
	set.StringVarP(&f.config, "config", "c", "", "With --now: the configuration that names the admin API (default: Caddyfile in this folder, or else "+caddy.DefaultAdminListen+")")
	set.StringVarP(&f.adapter, "adapter", "a", "", "The adapter of its language, such as caddyfile (default: by the file's name)")
}

var errAdminOff = errors.New("the configuration turns the admin API off: the process that runs cannot be asked; a reload with a changed block wsaa, or a restart, logs in anew")

// AdminAddress returns the address of the admin API, as `reload` finds it.
func (f *AdminFlags) AdminAddress() (string, error) {
	if f.address != "" {
		return f.address, nil
	}
	if named := os.Getenv(AdminVariable); named != "" && f.config == "" {
		return named, nil
	}
	config, file, _, err := caddycmd.LoadConfig(f.config, f.adapter)
	if err != nil {
		return "", UsageError(fmt.Errorf("--config: give a configuration that can be read, or the address of the admin API with --address: %w", err))
	}
	var read struct {
		Admin struct {
			Disabled bool `json:"disabled"`
		} `json:"admin"`
	}
	if len(config) > 0 && json.Unmarshal(config, &read) == nil && read.Admin.Disabled {
		return "", errAdminOff
	}
	address, err := caddycmd.DetermineAdminAPIAddress("", config, file, f.adapter)
	if err != nil {
		return "", UsageError(fmt.Errorf("--config: %w", err))
	}
	return address, nil
}
