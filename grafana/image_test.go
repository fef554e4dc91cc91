package grafana_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDockerfileIsOfThisVersion of Caddy, and runs it as an unprivileged user.
func TestDockerfileIsOfThisVersion(t *testing.T) {
	version := regexp.MustCompile(`caddyserver/caddy/v2 v([0-9.]+)`).FindStringSubmatch(text(t, "../go.mod"))[1]
	dockerfile := text(t, "deploy/Dockerfile")
	for _, want := range []string{
		"FROM caddy:" + version + "-builder AS build\n", "xcaddy build v" + version + " ",
		"--with github.com/fielato/fielato=/src", "\nUSER 10001:10001\n", "\nVOLUME /var/lib/fielato\n",
	} {
		if !strings.Contains(dockerfile, want) {
			t.Errorf("the Dockerfile lacks %q", want)
		}
	}
	for _, copied := range regexp.MustCompile(`(?m)^COPY (grafana/\S+)`).FindAllStringSubmatch(dockerfile, -1) {
		exists(t, filepath.Join("..", copied[1]))
	}
	if !slices.Contains(lines(text(t, "deploy/Dockerfile.dockerignore")), "data") {
		t.Error("the image would be built with the data, and the keys, of a gateway that was tried out")
	}
}

// TestImageRunsWithoutCapabilities: xcaddy gives the binary none where compose.yaml drops
// all, as the kernel refuses to execute a file with one that it may not have.
func TestImageRunsWithoutCapabilities(t *testing.T) {
	var c compose
	unmarshal(t, "deploy/compose.yaml", &c)
	built := 0
	for name, s := range c.Services {
		if s.Build.Dockerfile == "" || !slices.Contains(s.CapDrop, "ALL") {
			continue
		}
		built++
		dockerfile := text(t, filepath.Join("deploy", s.Build.Context, s.Build.Dockerfile))
		for _, command := range regexp.MustCompile(`(?m)^RUN .*xcaddy build`).FindAllString(dockerfile, -1) {
			if !strings.Contains(command, " XCADDY_SETCAP=0 ") {
				t.Errorf("%s cannot execute what this makes: %s", name, command)
			}
		}
		if strings.Contains(dockerfile, "setcap ") {
			t.Errorf("%s cannot execute a file with a capability", name)
		}
	}
	if built == 0 {
		t.Error("no image is built")
	}
}

// TestOrchestratorsDoNotRestartADegradedGateway: records that the trail still lacks are in memory.
func TestOrchestratorsDoNotRestartADegradedGateway(t *testing.T) {
	check := regexp.MustCompile(`(?m)^HEALTHCHECK (?:.*\\\n)*.*$`).FindString(text(t, "deploy/Dockerfile"))
	if !strings.HasSuffix(check, "http://127.0.0.1:2019/wsfev1/live") {
		t.Errorf("health is asked for by %q", check)
	}
}
