package canonical

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// The forms of what fingerprints are made of. A fingerprint in a trail does not say which form it has, so
// the store says which forms its fingerprints may have.
const (
	// jsonForm: the JSON of the request, with the shortest text of each amount.
	jsonForm = 1
	// ownForm is Append's. A change of what that writes, for any request, is a new form.
	ownForm = 2
	// newestForm is the form that this build writes.
	newestForm = ownForm
)

// FormsKey is the name of the setting in which a store keeps its Forms.
const FormsKey = "fingerprint-forms"

// Forms are the forms that the fingerprints in a store may have, from Oldest to Newest.
type Forms struct{ Oldest, Newest int }

// errForms: the fingerprints in the store have a form that this build cannot understand.
var errForms = errors.New("what was issued before could be issued again")

// KeepForms returns the forms of a store, and notes that the fingerprints from now on have the form of this
// build. It comes before the first of them. A store that was written before there were such notes may have
// any earlier form. The error wraps errForms for a store of a newer build.
func KeepForms(ctx context.Context, store audit.Store) (Forms, error) {
	forms, err := readForms(ctx, store)
	if err != nil {
		return Forms{}, err
	}
	return joinForms(ctx, store, forms)
}

// readForms returns the forms of a store without a note: an empty store has this build's.
func readForms(ctx context.Context, store audit.Store) (Forms, error) {
	kept, err := store.Setting(ctx, FormsKey)
	if err != nil {
		return Forms{}, fmt.Errorf("reading the forms of fingerprints: %w", err)
	}
	if kept != nil {
		return parseForms(string(kept))
	}
	logs, err := store.Logs(ctx)
	if err != nil {
		return Forms{}, fmt.Errorf("listing the logs: %w", err)
	}
	if len(logs) > 0 {
		return Forms{jsonForm, newestForm}, nil
	}
	return Forms{newestForm, newestForm}, nil
}

// joinForms notes in a store that its fingerprints may have these forms too, and returns all that they may
// have then.
func joinForms(ctx context.Context, store audit.Store, more Forms) (Forms, error) {
	own, err := readForms(ctx, store)
	if err != nil {
		return Forms{}, err
	}
	all := Forms{min(own.Oldest, more.Oldest), max(own.Newest, more.Newest, newestForm)}
	kept, err := store.Setting(ctx, FormsKey)
	if err == nil && string(kept) != all.String() {
		err = store.SetSetting(ctx, FormsKey, []byte(all.String()))
	}
	if err != nil {
		return Forms{}, fmt.Errorf("keeping the forms of fingerprints: %w", err)
	}
	return all, nil
}

// CopyForms notes in a store which forms the fingerprints of another one may have. It comes before the
// records of that one.
func CopyForms(ctx context.Context, from, to audit.Store) error {
	forms, err := readForms(ctx, from)
	if err != nil {
		return fmt.Errorf("the store to copy from: %w", err)
	}
	if _, err := joinForms(ctx, to, forms); err != nil {
		return fmt.Errorf("the store to copy to: %w", err)
	}
	return nil
}

// String returns the form in which a store keeps them, such as 1-2.
func (f Forms) String() string { return strconv.Itoa(f.Oldest) + "-" + strconv.Itoa(f.Newest) }

func parseForms(text string) (f Forms, err error) {
	oldest, newest, _ := strings.Cut(text, "-")
	f.Oldest, err = strconv.Atoi(oldest)
	if err == nil {
		f.Newest, err = strconv.Atoi(newest)
	}
	switch {
	case err != nil || f.Oldest < jsonForm || f.Newest < f.Oldest || f.String() != text:
		return Forms{}, fmt.Errorf("the setting %s of the store is %q, which no build writes: restore the store from its backup: %w", FormsKey, text, errForms)
	case f.Newest > newestForm:
		return Forms{}, fmt.Errorf("the fingerprints of the store have form %d, written by a newer Fielato, and this build knows forms up to %d: "+
			"upgrade this one, or give audit another store: %w", f.Newest, newestForm, errForms)
	}
	return f, nil
}

// HasOlder reports whether fingerprints may have an earlier form than this build writes.
func (f Forms) HasOlder() bool { return f.Oldest < newestForm }

// AppendOlder appends to all what a request was made into by each earlier form that the store may have.
func (f Forms) AppendOlder(all [][]byte, body any) [][]byte {
	if f.Oldest > jsonForm {
		return all
	}
	text, err := json.Marshal(wsfev1.WithAuth(body, wsfev1.Auth{}), trimmed)
	if err != nil {
		return all // no build has written a request that has no JSON
	}
	return append(all, text)
}

var trimmed = json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, a wsfev1.Amount) error {
	return a.Trim().MarshalJSONTo(enc)
}))
