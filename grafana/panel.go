package grafana

import (
	"regexp"
	"slices"
	"strings"
)

// sized returns the panel with what was left out filled in.
func (p Panel) sized() Panel {
	if p.Kind == "" {
		p.Kind = TimeSeries
	}
	width, height := 8, 8
	if p.Kind == Stat {
		width, height = 4, 4
	}
	if p.Width == 0 {
		p.Width = width
	}
	if p.Height == 0 {
		p.Height = height
	}
	return p
}

func (p Panel) model() object {
	description := p.Description
	if p.exemplified() {
		description += " Single points are records: give what a point has as record to `fielato wsfev1 audit show`, and its trace_id to your traces."
	}
	return object{
		"type": string(p.Kind), "title": p.Title, "description": description,
		"datasource": source, "targets": p.targets(), "options": p.options(),
		"fieldConfig": object{"defaults": p.defaults(), "overrides": []object{}},
	}
}

func (p Panel) targets() []object {
	var all []object
	for i, q := range p.Queries {
		target := object{
			"refId": string(rune('A' + i)), "datasource": source,
			"expr": expanded(q.Expr), "legendFormat": q.Legend, "editorMode": "code",
			"instant": p.Kind.instant(), "range": !p.Kind.instant(),
		}
		if p.Kind == Table {
			target["format"] = "table"
		}
		if p.Kind == TimeSeries && exemplified.MatchString(q.Expr) {
			target["exemplar"] = true
		}
		all = append(all, target)
	}
	return all
}

// exemplified reports whether a query of the panel asks for exemplars.
func (p Panel) exemplified() bool {
	return p.Kind == TimeSeries && slices.ContainsFunc(p.Queries, func(q Query) bool { return exemplified.MatchString(q.Expr) })
}

// exemplified finds the histograms whose observations lead to a record.
var exemplified = regexp.MustCompile(`wsfev1_(exchange|upstream)_duration_seconds_bucket`)

// instant reports whether panels of this kind ask about the end of the time range alone,
// and not about each of its steps. The last value of a series would stay on the screen, and
// green, when its gateway is long gone.
func (k Kind) instant() bool { return k == Stat || k == BarGauge || k == Table }

// defaults are how values are written and coloured.
func (p Panel) defaults() object {
	steps := []object{}
	for _, t := range p.Thresholds {
		step := object{"color": t.Color, "value": nil}
		if t.From != nil {
			step["value"] = *t.From
		}
		steps = append(steps, step)
	}
	color := "thresholds"
	if len(steps) == 0 {
		steps = []object{{"color": "green", "value": nil}}
	}
	if p.Kind == TimeSeries {
		color = "palette-classic"
	}
	defaults := object{
		"unit": p.Unit, "color": object{"mode": color},
		"thresholds": object{"mode": "absolute", "steps": steps},
		"mappings":   p.mappings(), "custom": p.custom(),
	}
	if (p.Kind == TimeSeries || p.Kind == BarGauge) && !p.Negative {
		defaults["min"] = 0
	}
	if p.Kind.instant() && p.Unit == "short" {
		defaults["decimals"] = 0 // counts, which increase extrapolates
	}
	if p.Max != 0 {
		defaults["max"] = p.Max
	}
	return defaults
}

func (p Panel) mappings() []object {
	all := []object{}
	if len(p.Words) > 0 {
		values := object{}
		for i, w := range p.Words {
			values[w.Value] = object{"text": w.Text, "color": w.Color, "index": i}
		}
		all = append(all, object{"type": "value", "options": values})
	}
	if p.Kind == Stat {
		// Without it Grafana colours absent values like the lowest ones.
		nothing := object{"text": "no data", "color": "#808080", "index": len(p.Words)}
		all = append(all, object{"type": "special", "options": object{"match": "null+nan", "result": nothing}})
	}
	return all
}

// custom is what each kind has of its own.
func (p Panel) custom() object {
	switch p.Kind {
	case TimeSeries:
		custom := object{"lineWidth": 1, "fillOpacity": 10, "showPoints": "auto", "spanNulls": false}
		if p.Stack {
			custom["fillOpacity"] = 40
			custom["stacking"] = object{"mode": "normal", "group": "A"}
		}
		return custom
	case States:
		return object{"fillOpacity": 70, "lineWidth": 0}
	}
	return object{}
}

func (p Panel) options() object {
	reduce := object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}
	switch p.Kind {
	case Stat:
		text := "auto"
		if p.Named {
			text = "name"
		}
		return object{"reduceOptions": reduce, "colorMode": "background", "graphMode": "none", "textMode": text}
	case BarGauge:
		return object{"reduceOptions": reduce, "orientation": "horizontal", "displayMode": "basic"}
	case States:
		return object{"showValue": "auto", "mergeValues": true, "legend": legend(nil)}
	case Table:
		return object{"showHeader": true}
	}
	return object{
		"legend":  legend(p.calcs()),
		"tooltip": object{"mode": "multi", "sort": "desc"},
	}
}

// calcs are the numbers beside the names of series. There is no mean: over ratios or quantiles of
// steps it is not the value for the whole. A series that is only there while it is above 0 has no
// last value either: it would be its last one above 0.
func (p Panel) calcs() []string {
	for _, q := range p.Queries {
		if strings.HasSuffix(q.Expr, " > 0") {
			return []string{"max"}
		}
	}
	return []string{"max", "lastNotNull"}
}

func legend(calcs []string) object {
	return object{"showLegend": true, "displayMode": "table", "placement": "bottom", "calcs": append([]string{}, calcs...)}
}
