package caddymodule_test

import (
	"net/http"
	"path"
	"sync"
	"testing"
)

// moody is an upstream that answers, or does not, and remembers what it was asked.
type moody struct {
	*stub
	// hold keeps the answers to FEDummy until it is closed, where it is not nil.
	hold chan struct{}
	mu   sync.Mutex // guards what follows
	down bool
	// mute leaves what issues without an answer, and nothing else.
	mute  bool
	asked []string
}

func newMoody(t *testing.T) *moody {
	m := &moody{}
	answers := map[string]string{
		"FECAESolicitar": approval, "FEDummy": `{"AppServer":"OK","DbServer":"OK","AuthServer":"OK"}`,
		"FECompUltimoAutorizado": `{"PtoVta":1,"CbteTipo":6,"CbteNro":0}`, "FECompTotXRequest": `{"RegXReq":250}`,
		"FEParamGetTiposIva": `{"ResultGet":{"IvaTipo":[]}}`,
	}
	m.stub = newStub(t, func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		operation, down := path.Base(r.URL.Path), m.down
		down = down || m.mute && operation == "FECAESolicitar"
		m.asked = append(m.asked, operation)
		m.mu.Unlock()
		if operation == "FEDummy" && m.hold != nil {
			<-m.hold
		}
		if down && operation != "FEDummy" {
			answering(502, "<html>502 Bad Gateway</html>")(w, r)
			return
		}
		answering(200, answers[operation])(w, r)
	})
	return m
}

func (m *moody) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// silence makes it answer everything but what issues.
func (m *moody) silence(mute bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mute = mute
}

// since returns what it was asked since the last time.
func (m *moody) since() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

const query = "{" + authText + "}"
