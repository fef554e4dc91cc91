package caddymodule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/wsfev1"
)

// queryOf reads what the flags of a search ask for. Flags that a command does not
// have restrict nothing.
func queryOf(cmd *cobra.Command) (w wanted, err error) {
	flags := cmd.Flags()
	cuit, _ := flags.GetInt64("cuit")
	w.Cuit = wsfev1.CUIT(cuit)
	w.PtoVta, _ = flags.GetInt32("pto-vta")
	w.CbteTipo, _ = flags.GetInt32("cbte-tipo")
	w.Number, _ = flags.GetInt64("nro")
	w.Code, _ = flags.GetString("cae")
	w.finding, _ = flags.GetString("finding")
	w.Limit, _ = flags.GetInt("limit")
	w.Before, _ = flags.GetUint64("before")
	if w.Operation, _ = flags.GetString("operation"); w.Operation != "" && wsfev1.OperationByName(w.Operation) == nil {
		return w, fmt.Errorf("--operation %q: no such operation; names are exact, such as FECAESolicitar", w.Operation)
	}
	if w.Outcome, _ = flags.GetString("outcome"); w.Outcome != "" && !slices.Contains(searchedOutcomes, w.Outcome) {
		return w, fmt.Errorf("--outcome %q: use one of %s", w.Outcome, strings.Join(searchedOutcomes, ", "))
	}
	if w.Outcome == outcomeOpen {
		w.Outcome, w.open = "", true
	}
	if w.Limit < 0 {
		return w, fmt.Errorf("--limit %d: give a number, or 0 for all", w.Limit)
	}
	if flags.Changed("before") && w.Before == 0 {
		return w, fmt.Errorf("--before 0: there is no record before the first")
	}
	if w.Since, err = timeFlag(cmd, "since"); err != nil {
		return w, err
	}
	w.Until, err = timeFlag(cmd, "until")
	return w, err
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
