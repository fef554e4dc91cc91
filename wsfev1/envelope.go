package wsfev1

import "strconv"

// Obs is an observation on one invoice.
type Obs struct {
	Code int32
	Msg  string
}

// Observaciones lists the observations on one invoice.
type Observaciones struct{ Obs []Obs }

// Evt is a notice of the service: it does not change the result.
type Evt struct {
	Code int32
	Msg  string
}

// Events lists the notices of an answer.
type Events struct{ Evt []Evt }

// Err is an error of a normal answer (HTTP 200): Code is a number.
type Err struct {
	Code int32
	Msg  string
}

// Errors lists the errors of a normal answer.
type Errors struct{ Err []Err }

// Envelope ends every answer but FEDummy's. Both members are absent where they are empty.
type Envelope struct {
	Events *Events `json:",omitzero"`
	Errors *Errors `json:",omitzero"`
}

// Failures returns the errors of the answer.
func (e *Envelope) Failures() []Err {
	if e == nil || e.Errors == nil {
		return nil
	}
	return e.Errors.Err
}

// Fail adds an error to the answer.
func (e *Envelope) Fail(code int32, msg string) {
	if e == nil {
		return
	}
	if e.Errors == nil {
		e.Errors = &Errors{}
	}
	e.Errors.Err = append(e.Errors.Err, Err{Code: code, Msg: msg})
}

// Announce puts notices into the answer, which shares them.
func (e *Envelope) Announce(events *Events) {
	if e != nil {
		e.Events = events
	}
}

// Announced returns the notices of the answer, nil for none.
func (e *Envelope) Announced() *Events {
	if e == nil {
		return nil
	}
	return e.Events
}

// ErrorBody is the body of every answer that is not a normal one
// (docs/sources.md#contract): here Code is a string.
type ErrorBody struct{ Errors ErrorList }

// ErrorList lists the errors of an ErrorBody.
type ErrorList struct{ Err []ErrorItem }

// ErrorItem is one error of an ErrorBody.
type ErrorItem struct {
	Code string
	Msg  string
}

// Failures returns the errors of the body in the form of a normal answer; Code is 0
// where the text is no number.
func (b *ErrorBody) Failures() []Err {
	if b == nil {
		return nil
	}
	failures := make([]Err, len(b.Errors.Err))
	for i, item := range b.Errors.Err {
		code, err := strconv.ParseInt(item.Code, 10, 32)
		if err != nil {
			code = 0
		}
		failures[i] = Err{Code: int32(code), Msg: item.Msg}
	}
	return failures
}
