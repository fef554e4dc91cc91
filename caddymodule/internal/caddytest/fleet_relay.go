package caddytest

import (
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"hash"
	"io"
	"log"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// digest is the SHA-256 of a body.
type digest = [sha256.Size]byte

// carried counts and remembers the requests that passed the relay, in any form.
type carried struct {
	// sent counts the issuing requests by their number, issuing by their bytes.
	sent    map[place]int
	issuing map[digest]int
	// requests are all of them; answers are those that left the relay whole, by their requests.
	requests map[digest]bool
	answers  map[digest]map[digest]bool
	// secrets are the Tokens and Signs of the requests.
	secrets map[string]bool
	// logins counts the tickets that the login service has granted.
	logins int
	// soap: a request was in SOAP.
	soap bool
}

// relay returns the handler between the gateway and the service.
func (f *Fleet) relay(target *url.URL) http.HandlerFunc {
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: &http.Transport{DisableKeepAlives: true},
		ErrorLog:  log.New(io.Discard, "", 0),
		// A connection that is cut behind the relay is cut in front of it too.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		carrier := *proxy
		if r.URL.Path == wsaa.Path {
			carrier.ModifyResponse = f.countLogin
		} else {
			f.count(r, body)
			if f.strikes() {
				panic(http.ErrAbortHandler) // the service does not get it
			}
			if f.strikes() {
				<-r.Context().Done() // nor this, until the gateway gives up
				panic(http.ErrAbortHandler)
			}
			request := sha256.Sum256(body)
			carrier.ModifyResponse = func(answer *http.Response) error { return f.passOn(request, answer) }
		}
		carrier.ServeHTTP(w, r)
	}
}

func (f *Fleet) countLogin(answer *http.Response) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if answer.StatusCode == http.StatusOK {
		f.carried.logins++
	}
	return nil
}

// count counts a request. One that is cut off is not counted: the gateway was killed while it
// sent, and the relay does not pass it on.
func (f *Fleet) count(r *http.Request, body []byte) {
	request := requestIn(r, body)
	if request == nil {
		if int64(len(body)) == r.ContentLength {
			f.t.Errorf("the service got what cannot be read: %s %v\n%s", r.URL, r.Header, body)
		}
		return
	}
	auth, bytes := wsfev1.AuthOf(request.Body), sha256.Sum256(body)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.carried.requests[bytes] = true
	f.carried.soap = f.carried.soap || body[0] == '<'
	for _, secret := range []string{auth.Token.Reveal(), auth.Sign.Reveal()} {
		if secret != "" {
			f.carried.secrets[secret] = true
		}
	}
	if lot, ok := request.Body.(*wsfev1.FECAESolicitarRequest); ok {
		header := lot.FeCAEReq.FeCabReq
		f.carried.sent[place{seriesOf(auth.Cuit, header.PtoVta), lot.FeCAEReq.FeDetReq.FECAEDetRequest[0].CbteDesde}]++
		f.carried.issuing[bytes]++
	}
}

// requestIn reads a request in JSON or SOAP; nil if it is none, or not whole.
func requestIn(r *http.Request, body []byte) (request *validate.Request) {
	var findings []validate.Finding
	if strings.HasPrefix(r.URL.Path, "/api/") {
		request, findings = validate.Decode(wsfev1.OperationByName(path.Base(r.URL.Path)), body, validate.ARCA)
	} else {
		_, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		envelope, err := soap.Open(body, parameters["charset"])
		if err != nil {
			return nil
		}
		op, err := envelope.Route(r.Header.Get("SOAPAction") + parameters["action"])
		if err != nil {
			return nil
		}
		request, findings = validate.OfSOAP(envelope.Decode(op), validate.ARCA)
	}
	if len(findings) > 0 {
		return nil
	}
	return request
}

var errLost = errors.New("the relay loses the answer")

// passOn notes an answer, or does to it what can happen on the wire.
func (f *Fleet) passOn(request digest, answer *http.Response) error {
	lost, half, another := f.strikes(), f.strikes(), f.strikes()
	switch {
	case lost:
		return errLost
	case half && answer.ContentLength > 1:
		answer.Body = cut{io.LimitReader(answer.Body, answer.ContentLength/2), answer.Body}
		return nil
	case another:
		_ = answer.Body.Close()
		const page = "<html><body>502 Bad Gateway</body></html>"
		answer.StatusCode, answer.ContentLength, answer.Body = http.StatusBadGateway, int64(len(page)), io.NopCloser(strings.NewReader(page))
		answer.Header = http.Header{"Content-Type": {"text/html"}}
	}
	answer.Body = &noted{ReadCloser: answer.Body, hash: sha256.New(), note: func(bytes digest) {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		if f.carried.answers[request] == nil {
			f.carried.answers[request] = map[digest]bool{}
		}
		f.carried.answers[request][bytes] = true
	}}
	return nil
}

// strikes reports whether something goes wrong on the wire now.
func (f *Fleet) strikes() bool {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.random.Float64() < f.WireFaults
}

// cut is the beginning of a body.
type cut struct {
	io.Reader
	io.Closer
}

// noted is a body whose digest is noted at its end.
type noted struct {
	io.ReadCloser
	hash hash.Hash
	note func(digest)
}

func (n *noted) Read(p []byte) (int, error) {
	read, err := n.ReadCloser.Read(p)
	n.hash.Write(p[:read])
	if errors.Is(err, io.EOF) {
		n.note(digest(n.hash.Sum(nil)))
	}
	return read, err
}

// Authority writes the certificate of a relay that speaks TLS into a file.
func (f *Fleet) Authority() string {
	f.t.Helper()
	file := filepath.Join(f.t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: f.Relay.Certificate().Raw}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return file
}

// newRelay starts the relay in front of the service at an address.
func (f *Fleet) newRelay(t *testing.T, secure bool) {
	target, err := url.Parse(f.service)
	if err != nil {
		t.Fatal(err)
	}
	f.Relay = newStub(t, f.relay(target))
	f.Relay.Config.ErrorLog = log.New(io.Discard, "", 0) // of the connections that die with a gateway
	if secure {
		f.Relay.StartTLS()
	} else {
		f.Relay.Start()
	}
}

// Sends returns how many issuing requests the service has got.
func (f *Fleet) Sends() (sum int) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, times := range f.carried.sent {
		sum += times
	}
	return sum
}

// Logins returns how many tickets the login service has granted.
func (f *Fleet) Logins() int {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.carried.logins
}
