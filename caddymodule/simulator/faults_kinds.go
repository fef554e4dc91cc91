package simulator

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// faultKind is one way to go wrong.
type faultKind struct {
	name string
	// applies reports whether it can hit an operation.
	applies func(*wsfev1.Operation) bool
	// commits: the request is carried out. choosesCommit: a fault may choose otherwise.
	commits, choosesCommit bool
	needsDelay             bool
	// act sends the wrong answer. The reply is the right one if the request was carried out, and
	// zero otherwise.
	act func(*injection, http.ResponseWriter, binding.Reply) error
}

// faultKinds are all kinds; see Fault for each.
var faultKinds = []faultKind{
	{name: "drop", applies: anyOperation, commits: true, choosesCommit: true, act: (*injection).cut},
	{name: "hang", applies: anyOperation, commits: true, choosesCommit: true, act: (*injection).hang},
	{name: "html_502", applies: anyOperation, commits: true, choosesCommit: true, act: (*injection).badGateway},
	{name: "truncate", applies: anyOperation, commits: true, act: (*injection).truncate},
	{name: "not_json", applies: anyOperation, commits: true, choosesCommit: true, act: (*injection).maintenance},
	{name: "delay", applies: anyOperation, commits: true, needsDelay: true, act: (*injection).deliver},
	{name: "error_500", applies: hasErrors, choosesCommit: true, act: failing(500)},
	{name: "error_501", applies: hasErrors, choosesCommit: true, act: failing(501)},
	{name: "error_502", applies: hasErrors, choosesCommit: true, act: failing(502)},
	{name: "expired_ticket", applies: hasErrors, act: (*injection).expire},
	{name: "dummy_only", applies: hasErrors, act: failing(501)},
	{name: "slow_tables", applies: isTable, commits: true, needsDelay: true, act: (*injection).deliver},
}

func anyOperation(*wsfev1.Operation) bool { return true }

// hasErrors reports whether the answer of an operation can hold an error: all but FEDummy's can.
func hasErrors(op *wsfev1.Operation) bool { return op.Family != wsfev1.FamilyHealth }

func isTable(op *wsfev1.Operation) bool { return op.Family == wsfev1.FamilyTable }

func faultKindByName(name string) *faultKind {
	i := slices.IndexFunc(faultKinds, func(k faultKind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return &faultKinds[i]
}

// FaultKinds returns the names of all kinds of faults.
func FaultKinds() []string {
	names := make([]string, len(faultKinds))
	for i := range faultKinds {
		names[i] = faultKinds[i].name
	}
	return names
}

// deliver sends the right answer.
func (i *injection) deliver(w http.ResponseWriter, right binding.Reply) error { return right.Write(w) }

// cut ends the connection without an answer. The server recovers this panic, and so does a
// gateway in front. There is no other way to close a connection that speaks HTTP/2.
func (i *injection) cut(http.ResponseWriter, binding.Reply) error { panic(http.ErrAbortHandler) }

// hang waits for the client or the server to end.
func (i *injection) hang(w http.ResponseWriter, right binding.Reply) error {
	i.board.hold(i.ctx)
	return i.cut(w, right)
}

// badGateway answers like a proxy that has lost the service behind it.
func (i *injection) badGateway(w http.ResponseWriter, _ binding.Reply) error {
	return page(http.StatusBadGateway, "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"+
		"<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n").Write(w)
}

// maintenance answers 200 with a page for people, like a server whose application is down.
func (i *injection) maintenance(w http.ResponseWriter, _ binding.Reply) error {
	return page(http.StatusOK, "<html><body><p>Servicio en mantenimiento. Intente más tarde.</p></body></html>\r\n").Write(w)
}

func page(status int, text string) binding.Reply {
	return binding.Reply{Status: status, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(text)}
}

// truncate announces the whole answer, writes the first half and breaks off.
func (i *injection) truncate(w http.ResponseWriter, right binding.Reply) error {
	maps.Copy(w.Header(), right.Header)
	w.Header().Set("Content-Length", strconv.Itoa(len(right.Body)))
	w.WriteHeader(right.Status)
	_, _ = w.Write(right.Body[:len(right.Body)/2])
	// Without it the server would throw away what it has not sent yet, and the
	// client would meet a drop.
	_ = http.NewResponseController(w).Flush()
	return i.cut(w, right)
}

// failing answers with one of the service's own errors.
func failing(code int32) func(*injection, http.ResponseWriter, binding.Reply) error {
	return func(i *injection, w http.ResponseWriter, _ binding.Reply) error {
		answer := i.request.Operation.NewAnswer()
		if envelope, ok := answer.(interface{ Fail(code int32, msg string) }); ok {
			envelope.Fail(code, serviceTexts[code])
		}
		return i.say(w, answer)
	}
}

// expire refuses the credentials, whatever they are.
func (i *injection) expire(w http.ResponseWriter, _ binding.Reply) error {
	return i.say(w, validate.Unauthenticated(i.request, validate.TicketFinding(serviceTexts[600])))
}

// serviceTexts are the Spanish texts of the catalogue by code, for the codes about
// the service itself and its credentials.
var serviceTexts = func() map[int32]string {
	texts := map[int32]string{}
	for _, rule := range rules.Catalogue() {
		if rule.Code >= 500 && rule.Code <= 600 {
			texts[rule.Code] = rule.Spanish
		}
	}
	return texts
}()
