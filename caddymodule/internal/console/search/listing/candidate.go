package listing

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/wsfev1"
)

// Key names an invoice. A range of them in one voucher has the name of its first.
type Key struct {
	Cuit         wsfev1.CUIT
	Tipo, PtoVta int32
	Number       int64
}

// Named is an invoice, or a range up to Last, as a record names it.
type Named struct {
	Key

	Last int64
}

// The largest numbers of the contract: the page of an invoice knows no larger ones.
const (
	maxType   = 999
	maxPtoVta = 99_999
	maxNumber = 99_999_999
)

// InvoicesOf returns the invoices that a record is about and that the search asks for, each once, the last of a lot
// first. about is false for an exchange that is about no invoice.
func InvoicesOf(ctx context.Context, f Found, asked *audit.Query) (all []Named, about bool, err error) {
	record, err := withVouchers(ctx, f, asked)
	if err != nil {
		return nil, false, err
	}
	if record.Cuit <= 0 || record.CbteTipo <= 0 || record.CbteTipo > maxType || record.PtoVta <= 0 || record.PtoVta > maxPtoVta {
		return nil, false, nil
	}
	seen := map[int64]bool{}
	for _, at := range slices.Backward(narrowed(record, asked)) {
		v := &record.Vouchers[at]
		if v.CbteDesde <= 0 || v.CbteHasta < v.CbteDesde || v.CbteHasta > maxNumber || seen[v.CbteDesde] {
			continue
		}
		seen[v.CbteDesde] = true
		all = append(all, Named{Key{record.Cuit, record.CbteTipo, record.PtoVta, v.CbteDesde}, v.CbteHasta})
	}
	return all, len(all) > 0, nil
}

// withVouchers returns a record with the vouchers of its intent where it has none of its own, and with the request where
// that says which of them were asked for.
func withVouchers(ctx context.Context, f Found, asked *audit.Query) (*audit.Record, error) {
	named := f.Cuit != 0 && slices.ContainsFunc(f.Vouchers, func(v audit.Voucher) bool { return v.CbteDesde > 0 })
	if named && (asked.Receiver == 0 || len(f.Vouchers) == 1) {
		return f.Record, nil
	}
	record, err := Whole(ctx, f)
	if err != nil || named || f.Cuit == 0 {
		return record, err
	}
	intent, err := IntentOf(ctx, f)
	if err != nil || intent == nil {
		return record, err
	}
	both := *record
	both.Vouchers = intent.Vouchers // a settlement of a lot names its code alone
	return &both, nil
}

// narrowed returns the places of the vouchers that a search for a number, a code or a receiver asks for. Where none of
// them is, all are: the record matches by something else.
func narrowed(record *audit.Record, asked *audit.Query) []int {
	all := make([]int, len(record.Vouchers))
	for i := range all {
		all[i] = i
	}
	narrow := func(fits func(at int) bool) {
		if some := slices.DeleteFunc(slices.Clone(all), func(at int) bool { return !fits(at) }); len(some) > 0 {
			all = some
		}
	}
	if n := asked.Number; n != 0 {
		narrow(func(at int) bool { v := &record.Vouchers[at]; return v.CbteDesde <= n && n <= v.CbteHasta })
	}
	if asked.Code != "" {
		narrow(func(at int) bool { return record.Vouchers[at].Code == asked.Code })
	}
	if asked.Receiver != 0 && len(all) > 1 {
		if lines := bodies.Invoices[jsontext.Value](record.Request); len(lines) == len(record.Vouchers) {
			narrow(func(at int) bool {
				return slices.Contains((&audit.Record{Request: lines[at]}).Receivers(), asked.Receiver)
			})
		}
	}
	return all
}
