package reading_test

import (
	"context"
	"strings"
	"testing"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestTailShowsWhatTheGatewayDoes while it does it, and ends without an error when
// it is interrupted.
func TestTailShowsWhatTheGatewayDoes(t *testing.T) {
	for format, want := range map[string]string{"table": "  FEParamGetTiposMonedas  ", "json": `"operation":"FEParamGetTiposMonedas"`} {
		s := caddytest.Evidence(t)
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
		caddycmd.Commands()["wsfev1"].CobraFunc(root)
		var out caddytest.Output
		root.SetOut(&out)
		root.SetArgs([]string{"audit", "tail", "--store", "sqlite:" + s.Store, "-n", "1", "--interval", "5ms", "--format", format})
		ended := make(chan error, 1)
		go func() { ended <- root.ExecuteContext(ctx) }()
		caddytest.Eventually(t, "the newest is shown", func() bool { return strings.Contains(out.String(), "FECAESolicitar") })
		s.Post("FEParamGetTiposMonedas", "{"+caddytest.AuthText+"}")
		caddytest.Eventually(t, "a new one is shown", func() bool { return strings.Contains(out.String(), want) })
		interrupt()
		if err := <-ended; err != nil {
			t.Errorf("interrupted: %v", err)
		}
	}
}

// TestTailFollowsAGatewayThatJoins, whose log begins while tail runs; with --log it does not.
func TestTailFollowsAGatewayThatJoins(t *testing.T) {
	s := caddytest.Share(t, "north")
	s.Write("north", caddytest.Consultation(0, 1))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var all, one caddytest.Output
	ended := make(chan error, 2)
	for out, log := range map[*caddytest.Output][]string{&all: nil, &one: {"--log", "north"}} {
		root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
		caddycmd.Commands()["wsfev1"].CobraFunc(root)
		root.SetOut(out)
		root.SetArgs(append([]string{"audit", "tail", "--store", "postgres:" + s.DSN, "--interval", "5ms"}, log...))
		go func() { ended <- root.ExecuteContext(ctx) }()
		caddytest.Eventually(t, "the newest is shown", func() bool { return strings.Contains(out.String(), "FECompConsultar") })
	}
	s.Join("south")
	s.Write("south", caddytest.Consultation(1, 2))
	caddytest.Eventually(t, "the log that is new is followed", func() bool { return strings.Contains(all.String(), "\nsouth/0 ") })
	s.Write("north", caddytest.Consultation(2, 3))
	caddytest.Eventually(t, "what comes later is shown", func() bool { return strings.Contains(one.String(), "\n1 ") })
	if !strings.HasPrefix(all.String(), "RECORD ") || !strings.Contains(all.String(), "\nnorth/0 ") || strings.Contains(one.String(), "south") {
		t.Errorf("of all logs:\n%s\nof one:\n%s", all.String(), one.String())
	}
	interrupt()
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("interrupted: %v", err)
		}
	}
}
