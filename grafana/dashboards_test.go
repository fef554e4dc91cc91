package grafana_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/grafana"
)

// TestDashboardsAreGenerated: the files are exactly the ones that the code makes.
func TestDashboardsAreGenerated(t *testing.T) {
	files, err := filepath.Glob("dashboards/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range grafana.Dashboards() {
		file := filepath.Join("dashboards", d.UID+".json")
		want, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is stale, run go generate ./grafana: %v", file, err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return f == file })
	}
	if len(files) > 0 {
		t.Errorf("nothing makes %v", files)
	}
}

// model is the part of a dashboard's file that the rules look at.
type model struct {
	UID, Title, Description string
	Editable                bool
	Templating              struct {
		List []struct {
			Name, Type string
			Refresh    int
			Multi      bool
			AllValue   string
			Datasource source
			Query      any
			Definition string
		}
	}
	Annotations struct {
		List []struct {
			Name, Expr string
			Datasource source
		}
	}
	Panels []panel
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               source
	GridPos                  struct{ X, Y, W, H int }
	Links                    []struct {
		Title, URL  string
		TargetBlank bool
	}
	Targets []struct {
		RefID, Expr, LegendFormat string
		Datasource                source
		Instant, Range, Exemplar  bool
	}
	FieldConfig struct {
		Defaults struct {
			Unit     string
			Mappings []struct {
				Type    string
				Options struct {
					Match  string
					Result struct{ Text, Color string }
				}
			}
		}
	}
	Options struct {
		GraphMode string
		Legend    struct{ Calcs []string }
	}
}

type source struct{ Type, UID string }

func isTemplated(s source) bool { return s.Type == "prometheus" && s.UID == "${datasource}" }

// read returns the dashboards as Grafana reads them.
func read(t *testing.T) []model {
	t.Helper()
	files, err := filepath.Glob("dashboards/*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d dashboards: %v", len(files), err)
	}
	var all []model
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d model
		if err := json.Unmarshal(text, &d, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if d.UID != strings.TrimSuffix(filepath.Base(file), ".json") {
			t.Errorf("%s has the UID %s", file, d.UID)
		}
		all = append(all, d)
	}
	return all
}

// graphs returns the panels that show something.
func (d model) graphs() []panel {
	return slices.DeleteFunc(slices.Clone(d.Panels), func(p panel) bool { return p.Type == "row" })
}
