package grafana

// evidence is about the trail.
func evidence() Dashboard {
	return Dashboard{
		UID: "fielato-evidence", Title: "Fielato / Evidence",
		Description: "The trail: whether it is whole, how fast it is written, how large it is, and when a checkpoint was last kept elsewhere.",
		Rows: []Row{
			{"Is the evidence whole?", evidenceState()},
			{"Writing", evidenceWriting()},
			{"Checkpoints and size", evidenceKeeping()},
		},
	}
}

func evidenceState() []Panel {
	return []Panel{
		verification("Verification", "Whether the trail of every gateway continued each checkpoint that is kept elsewhere, over the whole time range. This is checked before each is replaced; `fielato wsfev1 audit verify` reads every record. Not kept elsewhere: some gateway has no checkpoint_to, and nothing was verified of its trail."),
		{
			Title: "Records lost", Kind: Stat, Unit: "short", Thresholds: none(),
			Description: "Records that could not be written in the time range and never will be. Those that a process lost when it ended are not counted; the log names each.",
			Queries:     one(`round(sum(increase(wsfev1_audit_lost_records_total{$own}[$__range])))`, "lost"),
		},
		{
			Title: "Records owed", Kind: Stat, Unit: "short", Thresholds: none(),
			Description: "Records in memory that are not written to the trail yet. While there are any, nothing is sent, unless on_failure is forward.",
			Queries:     one(`sum(wsfev1_audit_pending_outcomes{$own})`, "owed"),
		},
		{
			Title: "Open intents", Kind: Stat, Unit: "short", Thresholds: good(50, 250),
			Description: "Intents without an outcome: requests under way, and those left by a crash.",
			Queries:     one(`sum(wsfev1_audit_open_intents{$own})`, "open"),
		},
		{
			Title: "Append, p99", Kind: Stat, Unit: "s", Thresholds: good(.1, 1),
			Description: "99 of 100 commits of the trail took no longer, in the time range. No answer leaves before its record is durable.",
			Queries:     quantile("0.99", "p99", "wsfev1_audit_append_duration_seconds", ""),
		},
		{
			Title: "Kept elsewhere", Kind: Stat, Unit: "s", Thresholds: good(300, 3600),
			Description: "How long ago the newest checkpoint was known to be kept elsewhere, at the place where that is longest ago. Empty if no place is configured (checkpoint_to).",
			Queries:     one(`time() - min(wsfev1_audit_checkpoint_kept_timestamp_seconds{$own})`, "ago"),
		},
	}
}

func evidenceWriting() []Panel {
	return []Panel{
		{
			Title: "Append", Unit: "s",
			Description: "How long a commit took. It rises with slow syncs of the disk, or with other readers or writers of the store.",
			Queries:     quantiles("wsfev1_audit_append_duration_seconds", ""),
		},
		{
			Title: "Records", Unit: "cps", Stack: true,
			Description: "Records per second that were written, or could not be. Any failure raises an alert.",
			Queries:     one(`sum by (result) (rate(wsfev1_audit_records_total{$own}[$__rate_interval]))`, "{{result}}"),
		},
		{
			Title: "Queue", Unit: "short",
			Description: "Records waiting for the next commit. The number grows if more arrive than the disk can take.",
			Queries:     one(`sum by (instance) (wsfev1_audit_queue_records{$own})`, "{{instance}}"),
		},
		{
			Title: "Records per commit", Unit: "short",
			Description: "How many records are committed together, on average: more under load.",
			Queries: one(`sum by (instance) (rate(wsfev1_audit_records_total{$own}[$__rate_interval]))
/ (sum by (instance) (rate(wsfev1_audit_append_duration_seconds_count{$own}[$__rate_interval])) > 0)`, "{{instance}}"),
		},
		{
			Title: "Exchanges without a record", Unit: "cps",
			Description: "Exchanges that were continued, or answered, without a durable record. Zero unless the trail cannot be written.",
			Queries:     one(`sum by (instance) (rate(wsfev1_audit_unrecorded_total{$own}[$__rate_interval]))`, "{{instance}}"),
		},
		{
			Title: "Owed to the trail", Unit: "short",
			Description: "Records in memory, and intents without an outcome.",
			Queries: []Query{
				{`sum by (instance) (wsfev1_audit_pending_outcomes{$own})`, "{{instance}}, owed"},
				{`sum by (instance) (wsfev1_audit_open_intents{$own})`, "{{instance}}, open intents"},
			},
		},
	}
}

func evidenceKeeping() []Panel {
	return []Panel{
		{
			Title: "Age of the newest checkpoint", Unit: "s",
			Description: "Since the newest checkpoint was signed, and since one was last known to be kept elsewhere. The first one rises while there is no traffic; the second one should stay below a few intervals of checkpoint_to.",
			Queries: []Query{
				{`time() - max by (instance) (wsfev1_audit_checkpoint_timestamp_seconds{$own})`, "{{instance}}, signed"},
				{`time() - min by (instance) (wsfev1_audit_checkpoint_kept_timestamp_seconds{$own})`, "{{instance}}, kept elsewhere"},
			},
		},
		{
			Title: "Checkpoints kept elsewhere", Unit: "short",
			Description: "Attempts to keep a checkpoint elsewhere: kept, failed, or unsound where the trail does not continue what is kept there.",
			Queries:     one(`sum by (result) (increase(wsfev1_audit_checkpoint_posts_total{$own}[$__rate_interval]))`, "{{result}}"),
		},
		{
			Title: "Age of the newest cosigned checkpoint", Unit: "s",
			Description: "Since each witness was last known to have signed the newest checkpoint. Empty without witnesses. It should stay below a few intervals.",
			Queries:     one(`time() - min by (instance, witness) (wsfev1_audit_witness_timestamp_seconds{$own})`, "{{instance}}, {{witness}}"),
		},
		{
			Title: "Answers of witnesses", Unit: "short",
			Description: "Attempts to have the newest checkpoint cosigned: signed, or why not. unsound: the witness refuses a sound proof, or there is proof that the log has lost records or was rewritten.",
			Queries:     one(`sum by (witness, result) (increase(wsfev1_audit_witness_requests_total{$own}[$__rate_interval]))`, "{{witness}}, {{result}}"),
		},
		{
			Title: "Age of the newest time-stamp", Unit: "s",
			Description: "Since the newest checkpoint was last known to have a time-stamp. Empty without an authority. It should stay below a few intervals of timestamp.",
			Queries:     one(`time() - min by (instance) (wsfev1_audit_timestamp_seconds{$own})`, "{{instance}}"),
		},
		{
			Title: "Answers of the time-stamping authority", Unit: "short",
			Description: "Queries for a time-stamp of the newest checkpoint: stamped, or why not. invalid: the answer does not verify.",
			Queries:     one(`sum by (result) (increase(wsfev1_audit_timestamp_requests_total{$own}[$__rate_interval]))`, "{{result}}"),
		},
		{
			Title: "Age of the newest backup", Unit: "s",
			Description: "Since the newest backup by audit backup. Empty if there was none, and if the trail is in PostgreSQL.",
			Queries:     one(`time() - min by (instance) (wsfev1_audit_backup_timestamp_seconds{$own})`, "{{instance}}"),
		},
		{
			Title: "Hazards of the database", Unit: "short",
			Description: "Trails whose database may lose acknowledged records: commits that do not wait for the disk (commit, disk) or for a replica (replica), or a server that is a replica itself (recovery).",
			Queries:     one(`sum by (instance, kind) (wsfev1_audit_hazards{$own})`, "{{instance}}, {{kind}}"),
		},
		{
			Title: "Size of the trail", Unit: "short",
			Description: "Records in the tree of each log. It only ever grows.",
			Queries:     one(`sum by (instance) (wsfev1_audit_tree_size{$own})`, "{{instance}}"),
		},
		{
			Title: "Free on the trail's disk", Unit: "bytes", Width: 12,
			Description: "Free space where the trail is kept. Empty if it is in PostgreSQL.",
			Queries:     one(`min by (instance) (wsfev1_audit_disk_free_bytes{$own})`, "{{instance}}"),
		},
		{
			Title: "Free in a day", Unit: "bytes", Width: 12, Negative: true,
			Description: "Free space in 24 hours at the pace of the last six hours, as the alert calculates it. Below 0: the disk is full before that.",
			Queries:     one(`min by (instance) (predict_linear(wsfev1_audit_disk_free_bytes{$own}[6h], 86400))`, "{{instance}}"),
		},
	}
}
