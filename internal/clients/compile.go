package clients

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/internal/limit"
	"github.com/fielato/fielato/internal/nearest"
	"github.com/fielato/fielato/wsfev1"
)

// goodName is the form of a row's name: it is a label of metrics, and a word of texts.
var goodName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// maxIdentity bounds an identity, in bytes.
const maxIdentity = 1024

// prepare checks a row and returns it as the canonical text has it: lists in order and without repeats.
func (r *Row) prepare() (Row, error) {
	p := *r
	p.Role, p.Line = r.role(), ""
	if p.Role != RoleClient && p.Role != RoleReader {
		return p, fmt.Errorf("role %q: use %s or %s", p.Role, RoleClient, RoleReader)
	}
	if !goodName.MatchString(p.Name) {
		return p, fmt.Errorf("%s %q: give a name of letters, digits, dots, dashes and underscores, at most 64", p.Role, p.Name)
	}
	for i := range words {
		if w := &words[i]; w.role != "" && w.role != p.Role && w.isSet(&p) {
			return p, fmt.Errorf("%s %s: %s is for a %s", p.Role, p.Name, w.name, w.role)
		}
	}
	for _, kind := range Kinds {
		list := wordOf(string(kind)).list(&p)
		*list = slices.Clone(*list)
		for i := range *list {
			if err := checkIdentity(kind, &(*list)[i]); err != nil {
				return p, fmt.Errorf("%s %s: %w", p.Role, p.Name, err)
			}
		}
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(p.identities()) == 0 {
		return p, fmt.Errorf("%s %s: nothing says who that is: give user, certificate, certificate_san, certificate_key or ticket", p.Role, p.Name)
	}
	return p, nil
}

// isSet reports whether the row has the word.
func (w *word) isSet(r *Row) bool {
	return w.list != nil && len(*w.list(r)) > 0 || w.text != nil && *w.text(r) != "" || w.flag != nil && *w.flag(r)
}

// checkIdentity checks an identity and brings it into its one form.
func checkIdentity(kind Kind, text *string) error {
	switch {
	case *text == "" || len(*text) > maxIdentity || strings.ContainsFunc(*text, isControl):
		return fmt.Errorf("%s: give a text of at most %d bytes without control characters", kind, maxIdentity)
	case kind == CertificateKey:
		*text = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(*text, "sha256:"), ":", ""))
		if _, ok := keyDigest(*text); !ok {
			return fmt.Errorf("%s %q: give the SHA-256 of the public key in 64 hexadecimal digits", kind, *text)
		}
	case kind == Certificate || kind == Ticket:
		*text = Distinguished(*text)
		if !strings.Contains(*text, "=") {
			return fmt.Errorf("%s %q: give a subject such as CN=erp,O=Example", kind, *text)
		}
	}
	if _, ok := quote(*text); !ok {
		return fmt.Errorf("%s %q: a text with both kinds of quotes cannot be written", kind, *text)
	}
	return nil
}

// ParseIdentity checks an identity that somebody has written, and returns it as a row has it. Of a ticket and a
// certificate it is the subject.
func ParseIdentity(kind Kind, text string) (string, error) {
	err := checkIdentity(kind, &text)
	return text, err
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }

// Distinguished returns a distinguished name without the spaces that some write between its parts. Rows have their
// subjects so.
func Distinguished(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		if text[i] == ',' && (i == 0 || text[i-1] != '\\') {
			for i+1 < len(text) && text[i+1] == ' ' {
				i++
			}
		}
	}
	return b.String()
}

// compile reads the rights of a prepared row, and writes them into it in their one form.
func (r *Row) compile() (rights, error) {
	var all rights
	err := errors.Join(
		compileSet("cuits", &r.Cuits, &all.cuits, "20-11111111-2", parseCUIT),
		compileSet("pto_vta", &r.PtoVta, &all.ptoVta, "3", parseNumber(99_999)),
		compileSet("cbte_tipo", &r.CbteTipo, &all.types, "6", parseNumber(999)),
		r.compileMay(&all.operations), r.compileAmount(&all.maxAmount),
	)
	if err == nil && len(r.Cuits) == 0 {
		err = fmt.Errorf("write for which issuers: cuits with their numbers, or cuits %s for all", All)
	}
	if err == nil && r.Role == RoleClient && len(r.May) == 0 {
		err = fmt.Errorf("write what it may do, such as may issue query tables, or may %s for all", All)
	}
	if err != nil {
		return all, fmt.Errorf("%s %s: %w", r.Role, r.Name, err)
	}
	return all, nil
}

// compileSet reads numbers. No numbers are all of them.
func compileSet[N ~int32 | ~int64](option string, texts *[]string, into *set[N], example string, parse func(string) (N, error)) error {
	if len(*texts) == 0 || slices.Contains(*texts, All) {
		if len(*texts) > 1 {
			return fmt.Errorf("%s: %s stands for all: leave the others out", option, All)
		}
		into.all = true
		return nil
	}
	for _, one := range *texts {
		n, err := parse(one)
		if err != nil {
			return fmt.Errorf("%s %q: give a number such as %s, or %s for all: %w", option, one, example, All, err)
		}
		into.sorted = append(into.sorted, n)
	}
	slices.Sort(into.sorted)
	into.sorted = slices.Compact(into.sorted)
	*texts = make([]string, len(into.sorted))
	for i, n := range into.sorted {
		(*texts)[i] = strconv.FormatInt(int64(n), 10)
	}
	return nil
}

func parseCUIT(text string) (wsfev1.CUIT, error) {
	cuit, err := wsfev1.ParseCUIT(text)
	if err == nil {
		err = cuit.Check()
	}
	return cuit, err //nolint:wrapcheck // the caller names it
}

// errRange: a number is not one that the member of a request can have.
var errRange = errors.New("it is out of range")

func parseNumber(most int32) func(string) (int32, error) {
	return func(text string) (int32, error) {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 || n > int64(most) {
			return 0, errRange
		}
		return int32(n), nil
	}
}

// compileMay reads families and operations. In the canonical text a family stands for its operations.
func (r *Row) compileMay(into *operations) error {
	var names []string
	for _, f := range families {
		names = append(names, f.word)
	}
	for _, op := range wsfev1.Operations {
		names = append(names, op.Name)
	}
	for _, one := range r.May {
		op := wsfev1.OperationByName(one)
		at := slices.IndexFunc(families, func(f familyWord) bool { return f.word == one })
		switch {
		case one == All:
			*into |= ^operations(0)
		case op != nil:
			*into |= bitOf[op]
		case at >= 0:
			*into |= family(families[at].family)
		default:
			return fmt.Errorf("may %q: use issue, caea, query, tables, the name of an operation, or %s%s", one, All, nearest.Question(one, names))
		}
	}
	r.May = mayTexts(*into)
	return nil
}

// mayTexts returns the words for a set of operations.
func mayTexts(set operations) (texts []string) {
	if set == ^operations(0) {
		return []string{All}
	}
	for _, f := range families {
		if whole := family(f.family); set&whole == whole {
			texts = append(texts, f.word)
			set &^= whole
		}
	}
	for _, op := range wsfev1.Operations {
		if set.has(op) {
			texts = append(texts, op.Name)
		}
	}
	return texts
}

func (r *Row) compileAmount(into *wsfev1.Amount) error {
	if r.MaxAmount == "" {
		return nil
	}
	amount, err := wsfev1.ParseAmount(r.MaxAmount)
	if err != nil || amount.Sign() < 0 || !amount.Exact() {
		return fmt.Errorf("max_amount %q: give an amount in pesos with a point before its decimals and no thousands mark, such as 1000000.00", r.MaxAmount)
	}
	*into = amount
	r.MaxAmount = amount.Trim().String()
	return nil
}

// The bounds of a burst and of a share.
const (
	maxBurst = 1_000_000
	maxShare = 100_000
)

// compileShares reads the words rate and share.
func (r *Row) compileShares(into *Client) (err error) {
	if len(r.Rate) > 0 {
		if into.Rate, err = limit.ParseRate(r.Rate[0]); err != nil {
			return err //nolint:wrapcheck // it names the word
		}
		into.Burst = into.Rate.InASecond()
		switch {
		case len(r.Rate) == 3 && r.Rate[1] == "burst":
			if into.Burst, err = strconv.Atoi(r.Rate[2]); err != nil || into.Burst < 1 || into.Burst > maxBurst {
				return fmt.Errorf("burst %q: give how many requests may come at once, from 1 to %d", r.Rate[2], maxBurst)
			}
		case len(r.Rate) > 1:
			return errors.New("rate: write rate <requests>/s [burst <requests>], such as rate 10/s burst 20")
		}
		r.Rate = []string{into.Rate.String(), "burst", strconv.Itoa(into.Burst)}
	}
	if r.Share != "" {
		if into.Share, err = strconv.Atoi(r.Share); err != nil || into.Share < 1 || into.Share > maxShare {
			return fmt.Errorf("share %q: give how many requests that issue may be at the service at a time, from 1 to %d", r.Share, maxShare)
		}
		r.Share = strconv.Itoa(into.Share)
	}
	return nil
}
