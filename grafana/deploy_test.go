package grafana_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// compose is the part of Compose's model that compose.yaml uses.
type compose struct {
	Name     string
	Services map[string]struct {
		Image       string
		Build       struct{ Context, Dockerfile string }
		Hostname    string
		Command     []string
		Environment map[string]string
		Ports       []string
		Volumes     []string
		Tmpfs       []string
		Restart     string
		ReadOnly    bool     `yaml:"read_only"`
		CapDrop     []string `yaml:"cap_drop"`
		SecurityOpt []string `yaml:"security_opt"`
		StopGrace   string   `yaml:"stop_grace_period"`
		Ulimits     map[string]any
		DependsOn   []string `yaml:"depends_on"`
	}
	Volumes map[string]any
}

func text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestComposeNamesWhatIsThere: images with a version, files that exist, ports of this
// machine alone.
func TestComposeNamesWhatIsThere(t *testing.T) {
	var c compose
	unmarshal(t, "deploy/compose.yaml", &c)
	for _, name := range []string{"gateway", "prometheus", "grafana"} {
		s, ok := c.Services[name]
		if !ok {
			t.Fatalf("there is no service %s", name)
		}
		if s.Build.Dockerfile != "" {
			exists(t, filepath.Join("deploy", s.Build.Context, s.Build.Dockerfile))
		} else if !regexp.MustCompile(`^[a-z/]+:v?\d+\.\d+\.\d+$`).MatchString(s.Image) {
			t.Errorf("%s: the image %q has no version", name, s.Image)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to everybody", name, port)
			}
		}
		for _, volume := range s.Volumes {
			from, _, _ := strings.Cut(volume, ":")
			if strings.HasPrefix(from, ".") {
				exists(t, filepath.Join("deploy", from))
			} else if _, ok := c.Volumes[from]; !ok {
				t.Errorf("%s: there is no volume %s", name, from)
			}
		}
		if !slices.Contains(s.CapDrop, "ALL") {
			t.Errorf("%s keeps capabilities", name)
		}
	}
	if core, limited := c.Services["gateway"].Ulimits["core"]; !limited || core != 0 {
		t.Errorf("the gateway may leave its memory in a file: core %v", core)
	}
	if password := c.Services["grafana"].Environment["GF_SECURITY_ADMIN_PASSWORD"]; !strings.HasPrefix(password, "${GF_SECURITY_ADMIN_PASSWORD:?") {
		t.Errorf("Grafana's password is %q", password)
	}
}

func exists(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// scraping is the part of Prometheus's configuration that the files use.
type scraping struct {
	Global        map[string]string
	RuleFiles     []string `yaml:"rule_files"`
	ScrapeConfigs []struct {
		JobName                       string                       `yaml:"job_name"`
		ScrapeNativeHistograms        bool                         `yaml:"scrape_native_histograms"`
		AlwaysScrapeClassicHistograms bool                         `yaml:"always_scrape_classic_histograms"`
		StaticConfigs                 []struct{ Targets []string } `yaml:"static_configs"`
	} `yaml:"scrape_configs"`
}

// TestComposeKeepsAllThatGatewaysTell: the Prometheus of compose.yaml has the configuration for all
// versions, and besides keeps native histograms, and exemplars for the panels.
func TestComposeKeepsAllThatGatewaysTell(t *testing.T) {
	var plain, deployed scraping
	unmarshal(t, "prometheus/prometheus.yml", &plain)
	unmarshal(t, "deploy/prometheus.yml", &deployed)
	if job := plain.ScrapeConfigs[0]; job.ScrapeNativeHistograms || job.AlwaysScrapeClassicHistograms {
		t.Errorf("Prometheus 2.42 does not start with %+v", job)
	}
	plain.ScrapeConfigs[0].ScrapeNativeHistograms = true
	plain.ScrapeConfigs[0].AlwaysScrapeClassicHistograms = true
	if !reflect.DeepEqual(plain, deployed) {
		t.Errorf("compose scrapes %+v, want %+v", deployed, plain)
	}
	var c compose
	unmarshal(t, "deploy/compose.yaml", &c)
	prometheus := c.Services["prometheus"]
	if !slices.Contains(prometheus.Command, "--enable-feature=exemplar-storage") {
		t.Errorf("Prometheus keeps no exemplars: %v", prometheus.Command)
	}
	for _, mount := range []string{"./prometheus.yml:/etc/prometheus/prometheus.yml:ro", "../prometheus/rules:/etc/prometheus/rules:ro"} {
		if !slices.Contains(prometheus.Volumes, mount) {
			t.Errorf("Prometheus lacks %s: %v", mount, prometheus.Volumes)
		}
	}
}

// TestServicesFindEachOther: names and paths are the same in all files.
func TestServicesFindEachOther(t *testing.T) {
	var c compose
	unmarshal(t, "deploy/compose.yaml", &c)
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			Name, UID, Type, Access, URL string
			IsDefault                    bool           `yaml:"isDefault"`
			Editable                     bool           `yaml:"editable"`
			JSONData                     map[string]any `yaml:"jsonData"`
		}
	}
	unmarshal(t, "deploy/provisioning/datasources/fielato.yaml", &sources)
	var providers struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type, Folder    string
			DisableDeletion       bool `yaml:"disableDeletion"`
			AllowUIUpdates        bool `yaml:"allowUiUpdates"`
			UpdateIntervalSeconds int  `yaml:"updateIntervalSeconds"`
			Options               struct{ Path string }
		}
	}
	unmarshal(t, "deploy/provisioning/dashboards/fielato.yaml", &providers)
	var scrape scraping
	unmarshal(t, "deploy/prometheus.yml", &scrape)

	source := sources.Datasources[0]
	if source.URL != "http://prometheus:9090" || !source.IsDefault || source.JSONData["timeInterval"] != scrape.Global["scrape_interval"] {
		t.Errorf("the data source: %+v", source)
	}
	path := providers.Providers[0].Options.Path
	if mount := "../dashboards:" + path + ":ro"; !slices.Contains(c.Services["grafana"].Volumes, mount) {
		t.Errorf("Grafana looks for dashboards in %s, where nothing is", path)
	}
	home := c.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	exists(t, filepath.Join("dashboards", strings.TrimPrefix(home, path)))
	job := scrape.ScrapeConfigs[0]
	if job.JobName != "fielato" || job.StaticConfigs[0].Targets[0] != "gateway:2020" {
		t.Errorf("Prometheus scrapes %+v", job)
	}
	if !strings.Contains(text(t, "deploy/Caddyfile"), "http://:2020 {\n\tmetrics /metrics\n}") {
		t.Error("the gateway has no metrics where Prometheus looks for them")
	}
}

// TestUnitIsValid: systemd reads it, where it is there to ask, and it confines the gateway.
func TestUnitIsValid(t *testing.T) {
	unit := text(t, "deploy/fielato.service")
	for line := range strings.SplitSeq(unit, "\n") {
		if line != "" && !regexp.MustCompile(`^(#.*|\[(Unit|Service|Install)\]|[A-Za-z]+=\S.*)$`).MatchString(line) {
			t.Errorf("not a line of a unit: %q", line)
		}
	}
	for option := range strings.FieldsSeq("Type=notify User=fielato Group=fielato StateDirectory=fielato NoNewPrivileges=yes ProtectSystem=strict ProtectHome=yes PrivateTmp=yes UMask=0077 LimitCORE=0" +
		" Environment=GOGC=400 Environment=GOMEMLIMIT=512MiB") {
		if !strings.Contains(unit, "\n"+option+"\n") {
			t.Errorf("the unit lacks %s", option)
		}
	}
	if !strings.Contains(unit, "\nExecReload=fielato reload --config /etc/fielato/Caddyfile --force\n") {
		t.Error("a reload does nothing where only a file beside the Caddyfile has changed")
	}
	systemd, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	// The program of the unit must exist: any will do.
	file := filepath.Join(t.TempDir(), "fielato.service")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(unit, "=fielato ", "="+os.Args[0]+" ")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), systemd, "verify", file).CombinedOutput(); err != nil || strings.Contains(string(out), "fielato.service") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// TestDeployedConfigurationIsValid, and formatted.
func TestDeployedConfigurationIsValid(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, arguments := range [][]string{{"validate", "--config", "deploy/Caddyfile"}, {"fmt", "--diff", "deploy/Caddyfile"}} {
		command := exec.CommandContext(t.Context(), binary, arguments...)
		folder := t.TempDir()
		command.Env = append(command.Environ(), "FIELATO_DATA="+folder, "HOME="+folder, "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", arguments, err, out)
		}
	}
}
