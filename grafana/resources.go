package grafana

// resources is about the processes: what they use, where requests wait in them, and whose requests these are.
func resources() Dashboard {
	return Dashboard{
		UID: "fielato-resources", Title: "Fielato / Resources",
		Description: "The gateways' processes: what they use, what is full, where requests wait, and what each client takes.",
		Rows: []Row{
			{"Gateways", processState()},
			{"Where requests wait", waiting()},
			{"Clients", clients()},
			{"Process", process()},
		},
	}
}

func processState() []Panel {
	return []Panel{
		gatewaysUp(),
		{
			Title: "Configuration", Kind: Stat, Unit: "short", Thresholds: all(),
			Description: "Whether every gateway runs the newest configuration. If not, the previous one is still running.",
			Queries:     one(`min(caddy_config_last_reload_successful{$own})`, "configuration"),
			Words:       []Word{{"1", "loaded", "green"}, {"0", "refused", "red"}},
		},
		{
			Title: "Faults on purpose", Kind: Stat, Unit: "short", Thresholds: none(),
			Description: "Faults that the built-in service may still inject on purpose. 0 in front of a real service.",
			Queries:     one(`sum(wsfev1_backend_faults_active{$own})`, "faults"),
		},
		{
			Title: "Simulated clock", Kind: Stat, Unit: "s", Thresholds: none(),
			Description: "How far the clock of the built-in service is from the machine's. 0 in front of a real service.",
			Queries:     one(`max(abs(wsfev1_backend_clock_offset_seconds{$own}))`, "offset"),
		},
		{
			Title: "Versions", Kind: Table, Unit: "short", Height: 4,
			Description: "Version, Go version and catalogue of rules of each gateway.",
			Queries:     one(`max by (instance, version, goversion, catalogue) (wsfev1_build_info{$own})`, ""),
		},
		{
			Title: "Uptime", Unit: "s", Width: 12, Height: 6,
			Description: "How long each process has been running. It falls at a restart.",
			Queries:     one(`time() - process_start_time_seconds{$own}`, "{{instance}}"),
		},
		{
			Title: "Reachable", Kind: States, Unit: "short", Width: 12, Height: 6, Thresholds: all(),
			Description: "When Prometheus reached each gateway.",
			Queries:     one(`up{$own}`, "{{instance}}"),
			Words:       []Word{{"1", "up", "green"}, {"0", "down", "red"}},
		},
	}
}

func waiting() []Panel {
	return []Panel{
		{
			Title: "Room for requests", Unit: "percentunit", Max: 1,
			Description: "Requests under way, as a share of the limit, by kind (option in_flight), and likewise the bytes of requests in the gateway (bodies, option max_bodies) and of answers (answers, option max_answers). For a process with several gateways, the one with the least room left. At 100 % more wait, and are then turned away.",
			Queries:     one(`max by (instance, kind) (wsfev1_in_flight_ratio{$own})`, "{{instance}}, {{kind}}"),
		},
		{
			Title: "Wait for a series", Unit: "s",
			Description: "How long requests waited for those of their series that came before them (option series_wait).",
			Queries:     quantiles("wsfev1_series_wait_duration_seconds", ""),
		},
		{
			Title: "Waiting now", Unit: "short",
			Description: "Requests waiting for their series, and records waiting for the next commit.",
			Queries: []Query{
				{`sum by (instance) (wsfev1_series_waiting{$own})`, "{{instance}}, series"},
				{`sum by (instance) (wsfev1_audit_queue_records{$own})`, "{{instance}}, trail"},
			},
		},
	}
}

func process() []Panel {
	return []Panel{
		{
			Title: "CPU", Unit: "short",
			Description: "Cores in use, and the cores of the machine.",
			Queries:     one(`rate(process_cpu_seconds_total{$own}[$__rate_interval])`, "{{instance}}"),
		},
		{
			Title: "Memory", Unit: "bytes",
			Description: "Resident memory of the process, and the part of it that is Go's heap in use.",
			Queries: []Query{
				{`process_resident_memory_bytes{$own}`, "{{instance}}, resident"},
				{`go_memstats_heap_inuse_bytes{$own}`, "{{instance}}, heap"},
			},
		},
		{
			Title: "File descriptors", Unit: "percentunit", Max: 1,
			Description: "Open file descriptors, as a share of the limit. Each connection takes one.",
			Queries:     one(`process_open_fds{$own} / process_max_fds{$own}`, "{{instance}}"),
		},
		{
			Title: "Panics", Unit: "short",
			Description: "Panics that were recovered. Each one failed a request or an attempt in the background, and is a bug.",
			Queries:     one(`increase(wsfev1_panics_total{$own}[$__rate_interval])`, "{{instance}}"),
		},
		{
			Title: "Goroutines", Unit: "short",
			Description: "A few for each connection and each request. Growth without traffic is a leak.",
			Queries:     one(`go_goroutines{$own}`, "{{instance}}"),
		},
		{
			Title: "Garbage collection", Unit: "percentunit",
			Description: "Share of time in which the process was stopped for the collector.",
			Queries:     one(`rate(go_gc_duration_seconds_sum{$own}[$__rate_interval])`, "{{instance}}"),
		},
		{
			Title: "Network", Unit: "Bps",
			Description: "Bytes per second that the machine's network moved, as the process sees it.",
			Queries: []Query{
				{`rate(process_network_receive_bytes_total{$own}[$__rate_interval])`, "{{instance}}, received"},
				{`rate(process_network_transmit_bytes_total{$own}[$__rate_interval])`, "{{instance}}, sent"},
			},
		},
	}
}
