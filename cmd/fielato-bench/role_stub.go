package main

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// stub is the upstream: it approves what it is asked, whatever it is, with as little
// work as can be done, since all of it is taken from the machine that is measured.
type stub struct {
	mu sync.Mutex
	// last is the last number of each series; mu guards it.
	last map[stubSeries]int64
}

type stubSeries struct{ cuit, pointOfSale, class int64 }

func newStub() *stub { return &stub{last: map[stubSeries]int64{}} }

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.URL.Path == soapForm.path {
		s.serveSOAP(w, body)
		return
	}
	key := stubSeries{after(body, `"Cuit":`), after(body, `"PtoVta":`), after(body, `"CbteTipo":`)}
	var answer []byte
	switch {
	case strings.HasSuffix(r.URL.Path, "/FECAESolicitar"):
		first, count := after(body, `"CbteDesde":`), int64(bytes.Count(body, []byte(`"CbteDesde":`)))
		s.setLast(key, first+count-1)
		answer = approval(key, first, count)
	case strings.HasSuffix(r.URL.Path, "/FECompUltimoAutorizado"):
		answer = []byte(`{"PtoVta":` + strconv.FormatInt(key.pointOfSale, 10) + `,"CbteTipo":` + strconv.FormatInt(key.class, 10) +
			`,"CbteNro":` + strconv.FormatInt(s.lastOf(key), 10) + `}`)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer) // the client has gone
}

func (s *stub) setLast(key stubSeries, last int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[key] = last
}

func (s *stub) lastOf(key stubSeries) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last[key]
}

// after is the number after the first occurrence of a member's name, 0 without one.
func after(body []byte, name string) int64 {
	_, rest, found := bytes.Cut(body, []byte(name))
	if !found {
		return 0
	}
	var n int64
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// approval is the answer to a lot.
func approval(key stubSeries, first, count int64) []byte {
	b := make([]byte, 0, 256+200*count)
	b = strconv.AppendInt(append(b, `{"FeCabResp":{"Cuit":`...), key.cuit, 10)
	b = strconv.AppendInt(append(b, `,"PtoVta":`...), key.pointOfSale, 10)
	b = strconv.AppendInt(append(b, `,"CbteTipo":`...), key.class, 10)
	b = strconv.AppendInt(append(b, `,"FchProceso":"20261120120000","CantReg":`...), count, 10)
	b = append(b, `,"Resultado":"A","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[`...)
	for number := first; number < first+count; number++ {
		if number > first {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":`...), number, 10)
		b = strconv.AppendInt(append(b, `,"CbteHasta":`...), number, 10)
		b = strconv.AppendInt(append(b, `,"CbteFch":"20261120","Resultado":"A","CAE":"`...), 86470000000000+number, 10)
		b = append(b, `","CAEFchVto":"20261130"}`...)
	}
	return append(b, `]}}`...)
}
