package grafana

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// JSON returns the dashboard in Grafana's classic model, ready to be provisioned.
func (d Dashboard) JSON() ([]byte, error) {
	text, err := json.Marshal(d.model(), json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("dashboard %s: %w", d.UID, err)
	}
	return append(text, '\n'), nil
}

// object is an object of the model; its members are written in the order of their names.
type object = map[string]any

// source is the data source that the reader of the dashboard has chosen.
var source = object{"type": "prometheus", "uid": "${datasource}"}

func (d Dashboard) model() object {
	return object{
		"__comment":     "Made by go generate ./grafana from the Go files there. Do not edit.",
		"uid":           d.UID,
		"title":         d.Title,
		"description":   d.Description,
		"tags":          []string{"fielato"},
		"editable":      false,
		"graphTooltip":  1, // one crosshair over all panels
		"schemaVersion": 39,
		"version":       1,
		"timezone":      "browser",
		"refresh":       "30s",
		"time":          object{"from": "now-6h", "to": "now"},
		"links": []object{{
			"type": "dashboards", "title": "Fielato", "tags": []string{"fielato"},
			"asDropdown": true, "includeVars": true, "keepTime": true,
		}},
		"templating":  object{"list": variables()},
		"annotations": object{"list": annotations()},
		"panels":      d.panels(),
	}
}

// variables are the same in all dashboards, so that a link takes their values along.
func variables() []object {
	query := func(name, label, text string) object {
		v := object{
			"name": name, "label": label, "type": "query", "datasource": source,
			"query": object{"query": text, "refId": name}, "definition": text,
			"refresh": 2, // on every change of the time range
			"sort":    1, "multi": true, "includeAll": true,
			"current": object{"selected": true, "text": []string{"All"}, "value": []string{"$__all"}},
		}
		// Without it, All means the values that the query lists: the jobs of gateways. With .+ it would
		// select every job's series of metrics that every process has, such as up. A gateway that was
		// never reached is on no list, so all instances of a job are matched.
		if name == "instance" {
			v["allValue"] = ".+"
		}
		return v
	}
	return []object{
		{
			"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus",
			"refresh": 1, "current": object{},
		},
		query("job", "Job", "label_values(wsfev1_build_info, job)"),
		query("instance", "Instance", `label_values(wsfev1_build_info{job=~"$job"}, instance)`),
	}
}

// annotations mark, over all panels, what explains a change in them.
func annotations() []object {
	mark := func(name, color, expr, title string) object {
		return object{
			"name": name, "iconColor": color, "expr": expanded(expr), "titleFormat": title,
			"datasource": source, "enable": true, "step": "30s",
		}
	}
	return []object{
		mark("Alerts", "red", `ALERTS{alertname=~"Fielato.*",alertstate="firing"}`, "{{alertname}}"),
		mark("Outages", "orange", `wsfev1_breaker_open{$own} > 0`, "{{instance}}: the service does not answer"),
		mark("Reloads", "blue", `changes(caddy_config_last_reload_success_timestamp_seconds{$own}[$__rate_interval]) > 0`, "{{instance}}: new configuration"),
	}
}

func expanded(expr string) string { return strings.ReplaceAll(expr, "$own", own) }

// columns is the width of Grafana's grid.
const columns = 24

// panels lays the rows out. Identifiers count from 1 in the order of the panels.
func (d Dashboard) panels() []object {
	var all []object
	id, y := 0, 0
	for _, row := range d.Rows {
		id++
		all = append(all, object{
			"id": id, "type": "row", "title": row.Title, "collapsed": false, "panels": []object{},
			"gridPos": object{"x": 0, "y": y, "w": columns, "h": 1},
		})
		y++
		x, tallest := 0, 0
		for _, p := range row.Panels {
			p = p.sized()
			if x+p.Width > columns {
				x, y, tallest = 0, y+tallest, 0
			}
			id++
			model := p.model()
			model["id"], model["links"] = id, links(d.UID, p.Title)
			model["gridPos"] = object{"x": x, "y": y, "w": p.Width, "h": p.Height}
			all = append(all, model)
			x, tallest = x+p.Width, max(tallest, p.Height)
		}
		y += tallest
	}
	return all
}
