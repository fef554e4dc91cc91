package grafana

import "strings"

// details is the dashboard that explains a panel, by the panel's dashboard and title.
var details = map[string]string{
	"fielato-overview/Gateways up":                           "fielato-resources",
	"fielato-overview/Approval rate":                         "fielato-validation",
	"fielato-overview/Time to a CAE, p95":                    "fielato-service",
	"fielato-overview/Unknown outcomes":                      "fielato-service",
	"fielato-overview/Trail":                                 "fielato-evidence",
	"fielato-overview/Trail writes":                          "fielato-evidence",
	"fielato-overview/Service":                               "fielato-service",
	"fielato-overview/Error budget left":                     "fielato-service",
	"fielato-overview/Requests to issue by outcome":          "fielato-validation",
	"fielato-overview/Time to a CAE":                         "fielato-service",
	"fielato-overview/Requests to issue that failed":         "fielato-service",
	"fielato-overview/Invoices by verdict":                   "fielato-validation",
	"fielato-overview/Unknown outcomes and their settlement": "fielato-service",
	"fielato-overview/Requests waiting for their series":     "fielato-resources",
	"fielato-overview/Requests by family":                    "fielato-service",
	"fielato-overview/Requests without the service's answer": "fielato-service",
	"fielato-overview/Time to an answer, p95":                "fielato-service",
	"fielato-overview/Failures by class":                     "fielato-service",
	"fielato-service/Added by the gateway to issuing, mean":  "fielato-resources",
	"fielato-service/Requests at the service":                "fielato-resources",
	"fielato-resources/Room for requests":                    "fielato-service",
	"fielato-resources/Wait for a series":                    "fielato-service",
}

// alerts are the alerts that a panel shows, by the panel's dashboard and title: as the rules name
// the panel.
var alerts = map[string][]string{
	"fielato-evidence/Records":                               {"FielatoAuditWriteFailing"},
	"fielato-evidence/Records lost":                          {"FielatoRecordsLost"},
	"fielato-evidence/Verification":                          {"FielatoTrailUnsound"},
	"fielato-evidence/Age of the newest checkpoint":          {"FielatoCheckpointStale"},
	"fielato-evidence/Age of the newest cosigned checkpoint": {"FielatoCosignatureStale"},
	"fielato-evidence/Answers of witnesses":                  {"FielatoWitnessDisagrees"},
	"fielato-evidence/Age of the newest time-stamp":          {"FielatoTimestampStale"},
	"fielato-evidence/Age of the newest backup":              {"FielatoBackupOverdue"},
	"fielato-evidence/Hazards of the database":               {"FielatoDatabaseUnsafe"},
	"fielato-evidence/Free on the trail's disk":              {"FielatoAuditDiskFilling", "FielatoAuditDiskFull"},
	"fielato-evidence/Append":                                {"FielatoAuditSlow"},
	"fielato-resources/Gateways up":                          {"FielatoDown"},
	"fielato-resources/Reachable":                            {"FielatoNodeDown"},
	"fielato-resources/Configuration":                        {"FielatoConfigReloadFailed"},
	"fielato-resources/Room for requests":                    {"FielatoRoomFull"},
	"fielato-resources/Panics":                               {"FielatoPanic"},
	"fielato-resources/File of clients":                      {"FielatoClientsFileFailed"},
	"fielato-resources/Beyond rate or share, by client":      {"FielatoClientAtItsLimit"},
	"fielato-resources/Turned away, by client and cause":     {"FielatoClientRefused"},
	"fielato-overview/Unknown outcomes":                      {"FielatoUnknownOutcome"},
	"fielato-overview/Requests to issue that failed":         {"FielatoIssuingBudgetBurn"},
	"fielato-overview/Error budget left":                     {"FielatoIssuingBudgetBurnSlow"},
	"fielato-overview/Requests waiting for their series":     {"FielatoSeriesStuck"},
	"fielato-overview/Requests to issue by outcome":          {"FielatoRejectionsHigh"},
	"fielato-service/Service down":                           {"FielatoServiceDown"},
	"fielato-service/Failed by network or service":           {"FielatoServiceDegraded"},
	"fielato-service/Issuing, upstream":                      {"FielatoServiceSlow"},
	"fielato-service/Failures by class":                      {"FielatoCredentialsRefused"},
	"fielato-service/Tickets expire in":                      {"FielatoTicketExpiring"},
	"fielato-service/Certificates expire in":                 {"FielatoCertificateExpiring", "FielatoCertificateLastDays"},
	"fielato-service/Certificates that cannot be used":       {"FielatoCertificateUnusable"},
	"fielato-service/A ticket is ready":                      {"FielatoNoTicket"},
	"fielato-service/Kept tickets expire in":                 {"FielatoTicketNotRenewed"},
	"fielato-service/Kept tickets, by event":                 {"FielatoTicketRefused", "FielatoTicketStoreFailing"},
	"fielato-service/The authority's clock is ahead by":      {"FielatoClockOff"},
	"fielato-service/Shown for the first time":               {"FielatoNewCode", "FielatoNewMember"},
	"fielato-validation/Rules that disagree":                 {"FielatoRuleDisagrees"},
}

// runbooks is the page that explains each alert under a heading with its name.
const runbooks = "https://github.com/fielato/fielato/blob/main/docs/runbook.md#"

// links returns the links of a panel: to the dashboard with the details, with the same time range
// and variables, and to the runbooks of its alerts.
func links(uid, title string) []object {
	all := []object{}
	if to := details[uid+"/"+title]; to != "" {
		all = append(all, object{
			"title": "Details", "url": "/d/" + to + "?${__url_time_range}&${__all_variables}", "targetBlank": false,
		})
	}
	for _, alert := range alerts[uid+"/"+title] {
		all = append(all, object{"title": "Runbook: " + alert, "url": runbooks + strings.ToLower(alert), "targetBlank": true})
	}
	return all
}
