package caddytest

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fielato/fielato/audit"
)

// VerifyWays holds the trail against the bytes on both sides of the gateway: each client's, and
// those that reached the service. kills is how often a gateway was killed: what it had under way
// then is in no record.
func (f *Fleet) VerifyWays(records []*audit.Record, kills int) {
	f.t.Helper()
	f.verifyClients(records)
	f.verifyServices(records, kills)
	f.verifyOutcomes(records, kills)
}

// verifyClients: each answer that a client got is recorded with the client's bytes.
func (f *Fleet) verifyClients(records []*audit.Record) {
	f.t.Helper()
	forms := map[string]string{"JSON": "", "SOAP 1.1": audit.FormSOAP11, "SOAP 1.2": audit.FormSOAP12}
	at := map[string]*audit.Record{}
	for _, r := range records {
		at[address(r.Log, r.Index)] = r
	}
	for _, got := range f.got {
		r := at[got.record]
		if r == nil {
			f.t.Errorf("%s: there is no record %q", got.face.Name, got.record)
			continue
		}
		form, request, answer := "", r.RequestDigest, r.AnswerDigest
		if r.Client != nil {
			form, request, answer = r.Client.Form, r.Client.RequestDigest, r.Client.AnswerDigest
		}
		if form != forms[got.face.Name] || request != got.request || !slices.Contains(got.answers[:], answer) {
			f.t.Errorf("record %s (%s %s, %s) has other bytes than its client: form %q, request %v, answer %v", got.record, got.face.Name, r.Operation, r.Outcome,
				form, request == got.request, slices.Contains(got.answers[:], answer))
		}
	}
}

// verifyServices: each request with a recorded answer of the service has reached the service. Each issuing
// request that has reached it is recorded, except the ones that a killed gateway had under way.
func (f *Fleet) verifyServices(records []*audit.Record, kills int) {
	f.t.Helper()
	recorded, answered := map[digest]int{}, 0
	for _, r := range records {
		leg := r.Service
		if leg == nil {
			continue
		}
		recorded[leg.RequestDigest]++
		if leg.AnswerLength == 0 {
			continue // none came, or none that is kept there
		}
		answered++
		if !f.carried.requests[leg.RequestDigest] {
			f.t.Errorf("record %s/%d (%s): the service did not get this request", r.Log, r.Index, r.Operation)
		} else if !f.carried.answers[leg.RequestDigest][leg.AnswerDigest] {
			f.t.Errorf("record %s/%d (%s): the service did not answer this", r.Log, r.Index, r.Operation)
		}
	}
	if f.carried.soap && answered < f.Issued {
		f.t.Errorf("%d records have an answer of the service in SOAP, for %d invoices", answered, f.Issued)
	}
	missing := 0
	for request, times := range f.carried.issuing {
		missing += max(0, times-recorded[request])
	}
	if most := kills * onceSeries; missing > most {
		f.t.Errorf("%d issuing requests that reached the service are in no record, after %d kills", missing, kills)
	}
}

// verifyOutcomes: every intent has one outcome, but where a gateway was killed, and all of them are
// known in the end.
func (f *Fleet) verifyOutcomes(records []*audit.Record, kills int) {
	f.t.Helper()
	intents, outcomes, known := map[string]*audit.Record{}, map[string]int{}, map[string]bool{}
	for _, r := range records {
		of := address(cmp.Or(r.IntentLog, r.Log), r.Intent)
		switch r.Kind {
		case audit.KindIntent:
			intents[address(r.Log, r.Index)] = r
		case audit.KindOutcome:
			outcomes[of]++
			known[of] = known[of] || r.Outcome != "unknown"
		case audit.KindSettlement:
			known[of] = true
		}
	}
	without := 0
	for of, r := range intents {
		if outcomes[of] == 0 {
			without++
		}
		if outcomes[of] > 1 || !known[of] {
			f.t.Errorf("the intent %s of %s has %d outcomes, known in the end: %v", of, r.Operation, outcomes[of], known[of])
		}
	}
	if without > kills*onceSeries || len(intents) == 0 {
		f.t.Errorf("%d of %d intents have no outcome, after %d kills", without, len(intents), kills)
	}
}

// VerifySecrets: no Token and no Sign that has reached the service is in a record, or in a file of
// the folder.
func (f *Fleet) VerifySecrets(records []*audit.Record, folder string) {
	f.t.Helper()
	if len(f.carried.secrets) == 0 {
		f.t.Error("no request had a Token")
	}
	for _, r := range records {
		kept := [][]byte{r.Request, r.Answer, []byte(r.Detail)}
		for _, leg := range []*audit.Leg{r.Client, r.Service} {
			if leg != nil {
				kept = append(kept, leg.Request, leg.Answer)
			}
		}
		f.wantNoSecret(address(r.Log, r.Index), bytes.Join(kept, nil))
	}
	if folder == "" {
		return
	}
	seen := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		seen += len(text)
		f.wantNoSecret(entry.Name(), text)
		return err
	})
	if err != nil || seen == 0 {
		f.t.Errorf("%d bytes: %v", seen, err)
	}
}

func (f *Fleet) wantNoSecret(where string, text []byte) {
	f.t.Helper()
	for secret := range f.carried.secrets {
		if bytes.Contains(text, []byte(secret)) {
			f.t.Errorf("%s has a Token or a Sign", where)
		}
	}
}
