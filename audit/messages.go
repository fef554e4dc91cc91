package audit

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Message is an element of the Errors or the Observaciones of an answer.
type Message struct {
	// Code is a number, or a word in the error body of the contract.
	Code, Msg string
	// Observed: it comes from Observaciones, and is about one invoice.
	Observed bool
}

// Messages reads the messages off an answer of any operation, in its order. It goes
// by the names of the members alone and stops at text that is no JSON: readers need the codes most
// in an answer that is not the operation's. Events are not messages.
func Messages(answer []byte) []Message { return messages(answer, false) }

// messages is Messages. With codesOnly the messages have no Msg.
func messages(answer []byte, codesOnly bool) []Message {
	var all []Message
	for {
		name, rest := nextList(answer)
		if name == nil {
			return all
		}
		observed := bytes.Equal(name, listObserved)
		more, length := plainList(all, rest, observed, codesOnly)
		if length == 0 {
			more, length = readList(all, rest, observed, codesOnly)
		}
		all, answer = more, rest[length:]
	}
}

// The names of the lists that hold messages, as they stand in an answer.
var (
	listErrors   = []byte(`"Err"`)
	listObserved = []byte(`"Obs"`)
)

// nextList returns the name of the next list of messages, nil if there is none, and what
// is left from its bracket on. It searches for the names only: nearly all answers have none,
// and every answer is searched when it is written. Within JSON these bytes are always a whole
// text, as the quotes within a text are escaped.
func nextList(answer []byte) (name, rest []byte) {
	for {
		name = listErrors
		at := indexName(answer, listErrors)
		within := answer
		if at >= 0 {
			within = answer[:at]
		}
		if before := indexName(within, listObserved); before >= 0 {
			name, at = listObserved, before
		}
		if at < 0 {
			return nil, nil
		}
		answer = answer[at+len(name):]
		if after, found := bytes.CutPrefix(bytes.TrimLeft(answer, " \t\r\n"), []byte(":")); found {
			if after = bytes.TrimLeft(after, " \t\r\n"); bytes.HasPrefix(after, []byte("[")) {
				return name, after
			}
		}
	}
}

// indexName is bytes.Index of a name with its quotes. It looks for the letters: an answer has a
// quote every few bytes, at each of which a search would stop.
func indexName(answer, name []byte) int {
	for from := 0; ; {
		at := bytes.Index(answer[from:], name[1:])
		if at < 0 {
			return -1
		}
		if at += from; at > 0 && answer[at-1] == '"' {
			return at - 1
		}
		from = at + 1
	}
}

// plainList appends the messages of a list that is written as the service writes it, and returns its
// length; 0 for any other list, which readList reads. Nearly all lists are such, and their codes are
// read from every answer with a list.
func plainList(all []Message, text []byte, observed, codesOnly bool) ([]Message, int) {
	given, rest := all, text
	for next := []byte(`[{"Code":`); ; next = []byte(`,{"Code":`) {
		var found bool
		if rest, found = bytes.CutPrefix(rest, next); !found {
			return given, 0
		}
		digits := 0
		for digits < len(rest) && rest[digits]-'0' <= 9 {
			digits++
		}
		if digits == 0 || digits > 1 && rest[0] == '0' {
			return given, 0 // no number
		}
		message := Message{Code: string(rest[:digits]), Observed: observed}
		if rest, found = bytes.CutPrefix(rest[digits:], []byte(`,"Msg":"`)); found {
			end := bytes.IndexByte(rest, '"')
			if end < 0 || !isPlain(rest[:end]) {
				return given, 0
			}
			if !codesOnly {
				message.Msg = string(rest[:end])
			}
			rest = rest[end+1:]
		}
		all = append(all, message)
		if rest, found = bytes.CutPrefix(rest, []byte("}")); !found {
			return given, 0
		}
		if len(rest) > 0 && rest[0] == ']' {
			return all, len(text) - len(rest)
		}
	}
}

// isPlain reports whether a text stands in JSON as it is.
func isPlain(text []byte) bool {
	for _, b := range text {
		if b < ' ' || b == '\\' {
			return false
		}
	}
	return utf8.Valid(text)
}

// readList appends the messages of any list, and returns its length. Messages before an error count.
func readList(all []Message, text []byte, observed, codesOnly bool) ([]Message, int) {
	r := messageReaders.Get().(*messageReader)
	defer r.release()
	r.all, r.codesOnly = all, codesOnly
	length := r.list(text, observed)
	return r.all, length
}

// messageReader reads lists of messages.
type messageReader struct {
	decoder   jsontext.Decoder
	all       []Message
	codesOnly bool
}

// release gives a reader back without the answer that it has read: nothing may keep that alive.
func (r *messageReader) release() {
	r.all = nil
	r.decoder.Reset(new(bytes.Buffer), messageOptions...)
	messageReaders.Put(r)
}

// messageReaders holds the readers that are not in use: a reader's memory is most of its cost.
var messageReaders = sync.Pool{New: func() any { return new(messageReader) }}

var messageOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// list reads the list that text begins with and returns its length. Messages before an error count.
func (r *messageReader) list(text []byte, observed bool) int {
	r.decoder.Reset(bytes.NewBuffer(text), messageOptions...) // read in place
	_, err := r.decoder.ReadToken()
	for err == nil && r.decoder.PeekKind() != ']' {
		if r.decoder.PeekKind() == '{' {
			err = r.message(observed)
		} else {
			err = r.decoder.SkipValue()
		}
	}
	return max(1, int(r.decoder.InputOffset()))
}

// message reads an object, which is one if it has a Code or a Msg.
func (r *messageReader) message(observed bool) error {
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	begun := false
	for {
		switch r.decoder.PeekKind() {
		case '}', 0:
			_, err := r.decoder.ReadToken()
			return err
		}
		name, err := r.decoder.ReadValue()
		if err != nil {
			return err
		}
		code, msg := string(name) == `"Code"`, string(name) == `"Msg"`
		kind := r.decoder.PeekKind()
		if !code && !msg || kind != '"' && kind != '0' {
			if err := r.decoder.SkipValue(); err != nil {
				return err
			}
			continue
		}
		token, err := r.decoder.ReadToken()
		if err != nil {
			return err
		}
		if !begun {
			begun = true
			r.all = append(r.all, Message{Observed: observed})
		}
		if last := &r.all[len(r.all)-1]; code {
			last.Code = token.String()
		} else if !r.codesOnly {
			last.Msg = token.String()
		}
	}
}

// Codes returns what was found wrong with an exchange, by the gateway and by the
// service, each code once. The service's are content: of a record whose content was
// purged only the gateway's are left.
func (r *Record) Codes() []string {
	found := messages(r.Answer, true)
	if len(r.Findings)+len(found) == 0 {
		return nil // nearly always, and each record is asked when it is written
	}
	var all []string
	var seen map[string]bool // made once there are many
	add := func(code string) {
		if code == "" || seen[code] || seen == nil && slices.Contains(all, code) {
			return
		}
		all = append(all, code)
		switch {
		case seen != nil:
			seen[code] = true
		case len(all) == manyCodes:
			seen = map[string]bool{}
			for _, one := range all {
				seen[one] = true
			}
		}
	}
	for i := range r.Findings {
		add(r.Findings[i].Code)
	}
	for i := range found {
		add(found[i].Code)
	}
	return all
}

// manyCodes is the number of codes from which on a map finds one faster than a look at each.
const manyCodes = 16
