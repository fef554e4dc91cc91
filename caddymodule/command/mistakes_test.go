package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/command"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// programLine names the environment variable with the arguments of a process that is the program.
const programLine = "FIELATO_TEST_PROGRAM_LINE"

func init() {
	caddytest.Roles["program"] = func() {
		caddy.CustomBinaryName = "fielato"
		os.Args = append([]string{"fielato"}, strings.Fields(os.Getenv(programLine))...)
		command.Main()
	}
}

// mistake is a Caddyfile with which somebody begins who has made one.
type mistake struct {
	name string
	// options are the gateway's options, audit the ones in the block of audit, if there is one. service
	// stands behind the gateway; front in front of it. site replaces all of these.
	options, audit, service, front, site, global string
	// prepare makes files in the folder.
	prepare func(t *testing.T, folder string)
	// at is a part of the line that is to blame, or the gateway's, empty for the latter. place is what
	// stands in place of file and line.
	at, place string
	// cure is the advice that the message must give.
	cure string
	// served: the gateway starts, and warns.
	served bool
}

// caddyfile returns the whole text.
func (m *mistake) caddyfile(port string) string {
	audit := "audit sqlite audit.db"
	if strings.Contains(m.options, "audit ") {
		audit = ""
	}
	if m.audit != "" {
		audit += " {\n" + m.audit + "\n}"
	}
	service := m.service
	if service == "" {
		service = "reverse_proxy 127.0.0.1:9"
	}
	if service == "none" {
		service = ""
	}
	site := m.site
	if site == "" {
		site = fmt.Sprintf("http://127.0.0.1:PORT {\nbind 127.0.0.1\n%s\nwsfev1 {\n%s\n%s\n}\n%s\n}\n", m.front, audit, m.options, service)
	}
	return strings.ReplaceAll(fmt.Sprintf("{\nadmin off\npersist_config off\n%s\n}\n%s", m.global, site), "PORT", port)
}

// where returns file and line, or what stands in their place.
func (m *mistake) where(text, port string) string {
	if m.place != "" {
		return strings.ReplaceAll(m.place, "PORT", port)
	}
	at := m.at
	if at == "" {
		at = "wsfev1 {"
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, at) {
			return fmt.Sprintf("Caddyfile:%d", i+1)
		}
	}
	return "no line has " + at
}

// seen is the output of the program, and its exit status.
type seen struct {
	out, errs string
	status    int
}

// program runs a command line in a folder.
func program(t *testing.T, folder, line string) seen {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	role := caddytest.RoleProcess(t, "program", programLine+"="+line)
	process := exec.CommandContext(ctx, role.Path)
	process.Env, process.Dir = slices.Concat(role.Env, []string{"FIELATO_EMPTY="}), folder
	var out, errs bytes.Buffer
	process.Stdout, process.Stderr = &out, &errs
	err := process.Run()
	s := seen{out: out.String(), errs: errs.String()}
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		s.status = failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return s
}

// message returns the error of the program, or the warnings of its log if it has none.
func (s seen) message() string {
	for line := range strings.Lines(s.errs) {
		if text, ok := strings.CutPrefix(line, "Error: "); ok {
			return text
		}
	}
	return ""
}

// warnings returns the messages of its log that are more than information.
func (s seen) warnings() (all []string) {
	for line := range strings.Lines(s.errs) {
		if strings.Contains(line, `"level":"warn"`) || strings.Contains(line, `"level":"error"`) {
			_, text, _ := strings.Cut(line, `"msg":"`)
			all = append(all, text)
		}
	}
	return all
}

// score judges a message: 1 for the place in its first 80 characters, and 1 for the cure.
func score(message, where, cure string) (points int) {
	if strings.Contains(message[:min(80, len(message))], where) {
		points++
	}
	if strings.Contains(message, cure) {
		points++
	}
	return points
}

// TestMistakesAreNamedWithTheirPlaceAndCure: by the start, and by doctor, which finds whatever the start
// refuses.
func TestMistakesAreNamedWithTheirPlaceAndCure(t *testing.T) {
	var mu sync.Mutex
	sum, most := 0, 0
	t.Run("each", func(t *testing.T) {
		for _, m := range mistakes {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				points := tryMistake(t, m)
				mu.Lock()
				defer mu.Unlock()
				sum, most = sum+points, most+2
			})
		}
	})
	t.Logf("%d of %d points for %d mistakes", sum, most, most/2)
	if most < 70 || sum*70 < most*62 {
		t.Errorf("%d of %d points: want 62 of 70", sum, most)
	}
}

// tryMistake starts a configuration, or lets doctor look at it, each in a folder of its own.
func tryMistake(t *testing.T, m mistake) int {
	t.Helper()
	port := freePort(t)
	text := m.caddyfile(port)
	where, cure := m.where(text, port), strings.ReplaceAll(m.cure, "PORT", port)
	in := func(line string) seen {
		t.Helper()
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "Caddyfile"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m.prepare != nil {
			m.prepare(t, folder)
		}
		return program(t, folder, line+" --config Caddyfile")
	}
	message := m.told(t, in, cure)
	points := score(message, where, cure)
	if points < 2 {
		t.Logf("%d points, want %q in the first 80 characters, and %q:\n%s", points, where, cure, message)
	}
	doctor := in("doctor")
	if found := doctor.problems() + doctor.message(); !strings.Contains(found, cure) || !m.served && doctor.status == 0 {
		t.Errorf("doctor ends with %d and finds no %q:\n%s%s", doctor.status, cure, doctor.out, doctor.errs)
	}
	if strings.Contains(doctor.errs, `{"level"`) {
		t.Errorf("doctor logs:\n%s", doctor.errs)
	}
	return points
}

// told returns the message of the start: its error, or the warning that has the cure.
func (m *mistake) told(t *testing.T, in func(line string) seen, cure string) string {
	t.Helper()
	if !m.served {
		got := in("run")
		if got.status == 0 || got.message() == "" {
			t.Errorf("it is not refused: status %d\n%s", got.status, got.errs)
		}
		return got.message()
	}
	got := in("validate")
	if got.status != 0 {
		t.Errorf("it is refused: %s", got.errs)
	}
	for _, warning := range got.warnings() {
		if strings.Contains(warning, cure) {
			return warning
		}
	}
	return ""
}

// problems returns what doctor has found that must be mended or looked at, each with its cure.
func (s seen) problems() string {
	var all []string
	found := false
	for line := range strings.Lines(s.out) {
		if cure := strings.Contains(line, "→"); !cure || strings.HasPrefix(line, "✔") {
			found = strings.HasPrefix(line, "✘") || strings.HasPrefix(line, "!")
		}
		if found {
			all = append(all, line)
		}
	}
	return strings.Join(all, "")
}

func freePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(caddytest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	return port
}
