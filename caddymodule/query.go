package caddymodule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// queryOf reads what the flags of a search ask for.
func queryOf(cmd *cobra.Command) (q audit.Query, err error) {
	flags := cmd.Flags()
	cuit, _ := flags.GetInt64("cuit")
	q.Cuit = wsfev1.CUIT(cuit)
	q.PtoVta, _ = flags.GetInt32("pto-vta")
	q.CbteTipo, _ = flags.GetInt32("cbte-tipo")
	q.Number, _ = flags.GetInt64("nro")
	q.Code, _ = flags.GetString("cae")
	q.Limit, _ = flags.GetInt("limit")
	if q.Operation, _ = flags.GetString("operation"); q.Operation != "" && wsfev1.OperationByName(q.Operation) == nil {
		return q, fmt.Errorf("--operation %q: no such operation; names are exact, such as FECAESolicitar", q.Operation)
	}
	if q.Outcome, _ = flags.GetString("outcome"); q.Outcome != "" && !slices.Contains(searchedOutcomes, q.Outcome) {
		return q, fmt.Errorf("--outcome %q: use one of %s", q.Outcome, strings.Join(searchedOutcomes, ", "))
	}
	if q.Limit < 0 {
		return q, fmt.Errorf("--limit %d: give a number, or 0 for all", q.Limit)
	}
	if q.Since, err = timeFlag(cmd, "since"); err != nil {
		return q, err
	}
	q.Until, err = timeFlag(cmd, "until")
	return q, err
}

// timeFlag reads a day in Argentina, a moment, or an age.
func timeFlag(cmd *cobra.Command, name string) (time.Time, error) {
	text, _ := cmd.Flags().GetString(name)
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, wsfev1.Argentina); err == nil {
		return t, nil
	}
	if age, err := caddy.ParseDuration(text); err == nil && age >= 0 {
		return time.Now().Add(-age), nil
	}
	return time.Time{}, fmt.Errorf("--%s %q: give 2026-11-20, 2026-11-20T15:04:05-03:00, or an age such as 24h or 7d", name, text)
}
