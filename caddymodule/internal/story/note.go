package story

import (
	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
)

// Note is what a reader of an exchange must know first.
type Note struct {
	Text string
	// Record is the address of the record that it is about; empty for the exchange's own.
	Record string
}

// Notes returns what a reader must know about an exchange before anything else.
func (v Voice) Notes(x *Exchange) (all []Note) {
	r := x.Result()
	add := func(key, record string) { all = append(all, Note{v.T("note." + key), record}) }
	switch environment.Of(r) {
	case environment.BuiltIn:
		add(noteBuiltIn(r.Certainty), "")
	case environment.Testing:
		add("testing", "")
	}
	if x.At.Kind == audit.KindIntent && x.Outcome != nil {
		add("intent", x.Outcome.Address())
	}
	if x.Settlement != nil && x.At != x.Settlement {
		add("settled", x.Settlement.Address())
	}
	if x.At == x.Settlement && x.Outcome != nil {
		add("settlement", x.Outcome.Address())
	}
	if origin := OriginOf(x.At); origin != "" {
		add("repeat", origin)
	}
	return all
}

// noteBuiltIn returns the key of the note that the built-in test service was asked, which answered or not.
func noteBuiltIn(certainty audit.Certainty) string {
	switch certainty {
	case audit.Answered:
		return "builtin"
	case audit.NotSent:
		return "builtin_unasked"
	}
	return "builtin_asked"
}

// Missing returns why the content of an exchange is missing, purged or sealed; Present if it is there.
func (x *Exchange) Missing() audit.Presence {
	request, result := x.Request().Presence, x.Result().Presence
	if request == audit.Purged || result == audit.Purged {
		return audit.Purged
	}
	return max(request, result)
}
