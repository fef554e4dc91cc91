package caddytest

import (
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Moody is an upstream that answers, or does not, and remembers what it was asked.
type Moody struct {
	*Stub
	// Hold keeps the answers to FEDummy until it is closed, where it is not nil.
	Hold chan struct{}
	mu   sync.Mutex // guards what follows
	down bool
	// mute leaves what issues without an answer, and nothing else.
	mute  bool
	asked []string
}

// NewMoody starts an upstream that answers.
func NewMoody(t *testing.T) *Moody {
	m := &Moody{}
	answers := map[string]string{
		"FECAESolicitar": Approval, "FEDummy": `{"AppServer":"OK","DbServer":"OK","AuthServer":"OK"}`,
		"FECompUltimoAutorizado": `{"PtoVta":1,"CbteTipo":6,"CbteNro":0}`, "FECompTotXRequest": `{"RegXReq":250}`,
		"FEParamGetTiposIva": `{"ResultGet":{"IvaTipo":[]}}`,
	}
	m.Stub = NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		operation, down := path.Base(r.URL.Path), m.down
		down = down || m.mute && operation == "FECAESolicitar"
		m.asked = append(m.asked, operation)
		m.mu.Unlock()
		if operation == "FEDummy" && m.Hold != nil {
			<-m.Hold
		}
		if down && operation != "FEDummy" {
			Answering(502, "<html>502 Bad Gateway</html>")(w, r)
			return
		}
		answer := answers[operation]
		if body, _ := io.ReadAll(r.Body); operation == "FECompUltimoAutorizado" {
			answer = strings.Replace(answer, `"PtoVta":1`, string(askedPoint.Find(body)), 1)
		}
		Answering(200, answer)(w, r)
	})
	return m
}

var askedPoint = regexp.MustCompile(`"PtoVta":\d+`)

// Set makes it fail, or answer again.
func (m *Moody) Set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// Silence makes it answer everything but what issues.
func (m *Moody) Silence(mute bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mute = mute
}

// Since returns what it was asked since the last time.
func (m *Moody) Since() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

// Query is the body of a question.
const Query = "{" + AuthText + "}"
