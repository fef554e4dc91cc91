package release_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

const unitFile = "grafana/deploy/fielato.service"

// keys are those that the unit may have, by section: what systemd does not know it leaves
// out, with a line in its log.
var keys = map[string][]string{
	"Unit": strings.Fields("Description Documentation After Wants"),
	"Service": strings.Fields("Type ExecStart ExecReload TimeoutStopSec Restart RestartSec User Group StateDirectory StateDirectoryMode LogsDirectory LogsDirectoryMode" +
		" WorkingDirectory Environment EnvironmentFile UMask LimitNOFILE LimitCORE AmbientCapabilities CapabilityBoundingSet NoNewPrivileges" +
		" ProtectSystem ProtectHome PrivateTmp PrivateDevices ProtectClock ProtectControlGroups ProtectHostname ProtectKernelLogs" +
		" ProtectKernelModules ProtectKernelTunables ProtectProc RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID" +
		" LockPersonality MemoryDenyWriteExecute RemoveIPC SystemCallArchitectures SystemCallFilter"),
	"Install": {"WantedBy"},
}

// unit parses the unit: the values of each key.
func unit(t *testing.T) map[string][]string {
	t.Helper()
	values, section := map[string][]string{}, ""
	for line := range strings.SplitSeq(read(t, unitFile), "\n") {
		name, value, isKey := strings.Cut(line, "=")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case !isKey || !slices.Contains(keys[section], name):
			t.Errorf("[%s] has no %q", section, line)
		default:
			values[name] = append(values[name], value)
		}
	}
	return values
}

// TestPathsAgree among the unit, the Debian package, the image and the configuration.
func TestPathsAgree(t *testing.T) {
	values, r := unit(t), readRecipe(t)
	deb := r.NFPMs[0]
	placed := map[string]string{}
	for _, content := range deb.Contents {
		placed[content.Src] = content.Dst
		if strings.HasPrefix(content.Dst, "/etc/") && content.Type != "config|noreplace" {
			t.Errorf("an upgrade replaces %s, which is its operator's", content.Dst)
		}
	}
	if got := placed[unitFile]; got != "/usr/lib/systemd/system/fielato.service" {
		t.Errorf("the unit is at %q", got)
	}
	// The package makes the user before systemd reads the unit.
	user := strings.Join(values["User"], "")
	if placed["release/deb/fielato.sysusers"] != "/usr/lib/sysusers.d/fielato.conf" ||
		!strings.Contains(read(t, "release/deb/fielato.sysusers"), "\nu "+user+" ") || strings.Join(values["Group"], "") != user {
		t.Errorf("nobody makes the user %q, or its group", user)
	}
	configuration := placed["grafana/deploy/Caddyfile"]
	for _, key := range []string{"ExecStart", "ExecReload"} {
		// Without a folder systemd looks into /usr/local/bin and /usr/bin.
		if line := strings.Join(values[key], ""); !strings.HasPrefix(line, r.Builds[0].Binary+" ") || !strings.Contains(line, " --config "+configuration) {
			t.Errorf("%s=%s, and the package has %s/%s and %s", key, line, deb.Bindir, r.Builds[0].Binary, configuration)
		}
	}
	if deb.Bindir != "/usr/bin" {
		t.Errorf("systemd does not look into %s", deb.Bindir)
	}

	all := stages(t)
	image := all[len(all)-1]
	data := strings.Join(image.of("VOLUME"), "")
	if got := "/var/lib/" + strings.Join(values["StateDirectory"], ""); got != data {
		t.Errorf("the unit keeps its data in %s, the image in %s", got, data)
	}
	for name, text := range map[string]string{"unit": strings.Join(values["Environment"], " "), "image": strings.Join(image.of("ENV"), " ")} {
		for _, variable := range []string{"FIELATO_DATA", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
			if !slices.Contains(strings.Fields(text), variable+"="+data) {
				t.Errorf("%s of the %s is not %s", variable, name, data)
			}
		}
	}
	if !slices.Contains(image.of("COPY"), "grafana/deploy/Caddyfile "+configuration) {
		t.Errorf("the image has its configuration elsewhere than the package: %s", configuration)
	}
	defaults := regexp.MustCompile(`\{\$FIELATO_DATA:([^}]*)\}`).FindAllStringSubmatch(read(t, "grafana/deploy/Caddyfile"), -1)
	if len(defaults) < 2 || slices.ContainsFunc(defaults, func(found []string) bool { return found[1] != data }) {
		t.Errorf("the configuration keeps data in %v, the unit in %s", defaults, data)
	}
	if core := values["LimitCORE"]; !slices.Equal(core, []string{"0"}) {
		t.Errorf("LimitCORE=%v: a core dump holds credentials", core)
	}
}

// TestTheUnitLetsRecipesWriteTheirLogs: a log file that cannot be opened keeps the gateway from starting.
func TestTheUnitLetsRecipesWriteTheirLogs(t *testing.T) {
	logs := "/var/log/" + strings.Join(unit(t)["LogsDirectory"], "")
	written := regexp.MustCompile(`(?m)^\s*output file (\S+)/`).FindAllStringSubmatch(read(t, "docs/recipes.md"), -1)
	if len(written) == 0 || slices.ContainsFunc(written, func(found []string) bool { return found[1] != logs }) {
		t.Errorf("the recipes write logs into %v, and the unit lets the gateway write %s", written, logs)
	}
}
