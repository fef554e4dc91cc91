package grafana

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
	return object{
		"type": string(p.Kind), "title": p.Title, "description": p.Description,
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
		}
		if p.Kind == Table {
			target["instant"], target["range"], target["format"] = true, false, "table"
		} else {
			target["instant"], target["range"] = false, true
		}
		all = append(all, target)
	}
	return all
}

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
	if p.Kind == TimeSeries || p.Kind == BarGauge {
		defaults["min"] = 0
	}
	if p.Max != 0 {
		defaults["max"] = p.Max
	}
	return defaults
}

func (p Panel) mappings() []object {
	if len(p.Words) == 0 {
		return []object{}
	}
	values := object{}
	for i, w := range p.Words {
		values[w.Value] = object{"text": w.Text, "color": w.Color, "index": i}
	}
	return []object{{"type": "value", "options": values}}
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
	calc := p.Calc
	if calc == "" {
		calc = "lastNotNull"
	}
	reduce := object{"calcs": []string{calc}, "fields": "", "values": false}
	switch p.Kind {
	case Stat:
		return object{"reduceOptions": reduce, "colorMode": "background", "graphMode": "area", "textMode": "auto"}
	case BarGauge:
		return object{"reduceOptions": reduce, "orientation": "horizontal", "displayMode": "basic"}
	case States:
		return object{"showValue": "auto", "mergeValues": true, "legend": legend(nil)}
	case Table:
		return object{"showHeader": true}
	}
	return object{
		"legend":  legend([]string{"mean", "max", "lastNotNull"}),
		"tooltip": object{"mode": "multi", "sort": "desc"},
	}
}

func legend(calcs []string) object {
	return object{"showLegend": true, "displayMode": "table", "placement": "bottom", "calcs": append([]string{}, calcs...)}
}
