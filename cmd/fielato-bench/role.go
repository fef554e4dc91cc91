package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // Caddy's own modules

	_ "github.com/fielato/fielato" // ours
)

// The roles of a process, and the commands that it then receives.
const (
	roleStub    = "stub"    // ADDRESS
	roleCaddy   = "caddy"   // CADDYFILE
	roleProxy   = "proxy"   // ADDRESS UPSTREAM
	roleOpenAPI = "openapi" // ADDRESS UPSTREAM
)

// playRole is the life of a child; it returns the exit status.
func playRole(args []string) int {
	signal.Ignore(os.Interrupt) // which the terminal sends to all: the parent ends its children
	if err := startRole(args); err != nil {
		fmt.Println("error", strings.ReplaceAll(err.Error(), "\n", " "))
		return 1
	}
	fmt.Println("ok")
	obey(os.Stdin, os.Stdout)
	return 0 // without a stop in good order: what it has stored is thrown away
}

// startRole returns as soon as requests are answered.
func startRole(args []string) error {
	switch {
	case args[0] == roleCaddy && len(args) == 2:
		config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(args[1]), nil)
		if err != nil {
			return fmt.Errorf("reading the Caddyfile: %w", err)
		}
		return caddy.Load(config, true)
	case args[0] == roleStub && len(args) == 2:
		return serve(args[1], newStub())
	case args[0] == roleProxy && len(args) == 3:
		return serve(args[1], newProxy(args[2]))
	case args[0] == roleOpenAPI && len(args) == 3:
		handler, err := checkByDocument(newProxy(args[2]))
		if err != nil {
			return err
		}
		return serve(args[1], handler)
	}
	return fmt.Errorf("no such role: %q", args)
}

// obey executes the parent's commands, one a line, until there are no more.
func obey(commands io.Reader, answers io.Writer) {
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		command, argument, _ := strings.Cut(lines.Text(), " ")
		answer, err := obeyOne(command, argument)
		if err != nil {
			fmt.Fprintln(answers, "error", err)
			continue
		}
		fmt.Fprintln(answers, "ok", answer)
	}
}

func obeyOne(command, argument string) (string, error) {
	switch command {
	case "usage":
		u := usageNow()
		return fmt.Sprintf("%d %d %d", u.processor, u.peak, u.objects), nil
	case "profile":
		file, err := os.Create(argument)
		if err != nil {
			return "", fmt.Errorf("making the profile: %w", err)
		}
		return "", pprof.StartCPUProfile(file)
	case "profiled":
		pprof.StopCPUProfile() // which has written all of it when it returns
		return "", nil
	}
	return "", fmt.Errorf("no such command: %q", command)
}
