package grafana_test

import (
	"slices"
	"strings"
	"testing"
)

// TestPanelsLinkToTheirDetails: to a dashboard that is there, with the reader's time range and
// variables. From the overview each panel leads on.
func TestPanelsLinkToTheirDetails(t *testing.T) {
	var uids []string
	for _, d := range read(t) {
		uids = append(uids, d.UID)
	}
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			where, detailed := d.UID+"/"+p.Title, false
			for _, link := range p.Links {
				path, within := strings.CutPrefix(link.URL, "/d/")
				if !within {
					continue
				}
				detailed = true
				uid, query, _ := strings.Cut(path, "?")
				if !slices.Contains(uids, uid) || uid == d.UID || link.Title != "Details" {
					t.Errorf("%s: the link %+v", where, link)
				}
				if query != "${__url_time_range}&${__all_variables}" || link.TargetBlank {
					t.Errorf("%s: %+v loses what the reader has chosen", where, link)
				}
			}
			if d.UID == "fielato-overview" && !detailed {
				t.Errorf("%s leads nowhere", where)
			}
		}
	}
}

// TestPanelsLinkToTheRunbooks of the alerts that name them, and to no others.
func TestPanelsLinkToTheRunbooks(t *testing.T) {
	wanted := map[string][]string{}
	for _, r := range readRules(t) {
		if r.Alert != "" {
			where := r.Annotations["dashboard"] + "/" + r.Annotations["panel"]
			wanted[where] = append(wanted[where], "Runbook: "+r.Alert+" "+r.Annotations["runbook_url"])
		}
	}
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			where := d.UID + "/" + p.Title
			var links []string
			for _, link := range p.Links {
				if strings.HasPrefix(link.Title, "Runbook: ") {
					links = append(links, link.Title+" "+link.URL)
				}
			}
			slices.Sort(links)
			slices.Sort(wanted[where])
			if !slices.Equal(links, wanted[where]) {
				t.Errorf("%s links to %q, want %q", where, links, wanted[where])
			}
		}
	}
}

// TestPanelsThatHaveExemplarsSayHowToReadThem: a point of them is a record.
func TestPanelsThatHaveExemplarsSayHowToReadThem(t *testing.T) {
	for _, d := range read(t) {
		for _, p := range d.graphs() {
			asks := false
			for _, target := range p.Targets {
				asks = asks || target.Exemplar
			}
			if says := strings.Contains(p.Description, "fielato wsfev1 audit show"); says != asks {
				t.Errorf("%s/%s: exemplars %v, explained %v", d.UID, p.Title, asks, says)
			}
		}
	}
}
