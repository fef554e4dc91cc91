package proof

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/console/site"
	"github.com/fielato/fielato/caddymodule/evidence"
)

// downloads are the files that the page offers.
type downloads struct {
	*site.Site
	// making holds a place for each evidence that is being made.
	making chan struct{}
}

// errNoCheckpoint: the store has none of the log.
var errNoCheckpoint = errors.New("the log has no checkpoint")

// proof hands out the proof of a record, the same file that `audit prove` writes.
func (d *downloads) proof(w http.ResponseWriter, r *http.Request) error {
	log, index, err := placeOf(r)
	if err != nil {
		return err
	}
	var text []byte
	err = d.Read(r, log, "prove "+audit.Address(log, index)+" --output", func(sources []site.Source) error {
		verifier, err := evidence.KeyOfLog(r.Context(), sources[0].Store, log)
		if err != nil {
			return err
		}
		proof, err := audit.Prove(r.Context(), sources[0].Store, log, verifier, index)
		if err == nil {
			text = proof.Marshal()
		}
		return err
	})
	if err != nil {
		return d.explain(w, r, err, "problem.no_proof")
	}
	send(w, r, "text/plain; charset=utf-8", fileName(log, index)+".tlog-proof", text)
	return nil
}

// checkpoint hands out the newest signed checkpoint of the log, as `audit checkpoint` prints it.
func (d *downloads) checkpoint(w http.ResponseWriter, r *http.Request) error {
	log, index, err := placeOf(r)
	if err != nil {
		return err
	}
	var note []byte
	err = d.Read(r, log, "checkpoint "+audit.Address(log, index), func(sources []site.Source) error {
		head, err := sources[0].Store.Head(r.Context(), log)
		if note = head.Checkpoint; err == nil && len(note) == 0 {
			err = errNoCheckpoint
		}
		return err
	})
	if err != nil {
		return d.explain(w, r, err, "problem.no_checkpoint")
	}
	send(w, r, "text/plain; charset=utf-8", fileName(log, index)+".checkpoint", note)
	return nil
}

// explain shows the page of the record with what hindered the download. The page itself may fail in
// the same way, or say that there is no such record.
func (d *downloads) explain(w http.ResponseWriter, r *http.Request, err error, key string) error {
	if r.Context().Err() != nil || errors.Is(err, site.ErrReadUnrecorded) || errors.Is(err, site.ErrNotFound) {
		return err
	}
	return showStatus(d.Site, w, r, http.StatusConflict, key, err)
}

// send sends a file.
func send(w http.ResponseWriter, r *http.Request, mediaType, name string, content []byte) {
	setFile(w.Header(), mediaType, name)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

func setFile(header http.Header, mediaType, name string) {
	header.Set("Content-Type", mediaType)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// fileName names the files of a record. Names of logs may hold what a file's name may not.
func fileName(log string, index uint64) string {
	return url.PathEscape(log) + "-" + strconv.FormatUint(index, 10)
}
