package proof

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/evidence"
)

// downloads are the files that the page offers.
type downloads struct {
	*site.Site
	// making holds a place for each evidence that is being made.
	making chan struct{}
}

const textType = "text/plain; charset=utf-8"

// errNoCheckpoint: the store has none of the log.
var errNoCheckpoint = errors.New("the log has no checkpoint")

// proof hands out the proof of a record, the same file that `audit prove` writes. masked: without the
// record's content.
func (d *downloads) proof(w http.ResponseWriter, r *http.Request, masked bool) error {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	var text []byte
	err = d.Read(r, log+mark, doing(d.Masks(r) && !masked, log, index, "proof --output", "prove "+audit.Address(log, index)+" --output"), func(sources []site.Source) error {
		source, err := sources[0].Proving(r.Context(), log, index)
		if err != nil {
			return err
		}
		verifier, err := evidence.KeyOfLog(r.Context(), source.Store, log)
		if err != nil {
			return err
		}
		proof, err := audit.Prove(r.Context(), source.Store, log, verifier, index)
		switch {
		case err != nil:
			return err
		case masked:
			text, err = withoutContent(r.Context(), source, proof, verifier)
			return err
		}
		text = proof.Marshal()
		return nil
	})
	name := fileName(log, index)
	switch {
	case errors.Is(err, errWithheld):
		return d.refuse(w, r, err, "problem.withheld")
	case err != nil:
		return d.explain(w, r, err, "problem.no_proof")
	case masked:
		name += "-masked"
	}
	send(w, textType, name+".tlog-proof", int64(len(text)), bytes.NewReader(text))
	return nil
}

// checkpoint hands out the newest signed checkpoint of the log, as `audit checkpoint` prints it.
func (d *downloads) checkpoint(w http.ResponseWriter, r *http.Request) error {
	log, mark, index, err := site.PlaceOf(r)
	if err != nil {
		return err
	}
	var note []byte
	err = d.Read(r, log+mark, "checkpoint "+audit.Address(log, index), func(sources []site.Source) error {
		source, err := sources[0].Proving(r.Context(), log, index)
		if err != nil {
			return err
		}
		head, err := source.Store.Head(r.Context(), log)
		if note = head.Checkpoint; err == nil && len(note) == 0 {
			err = errNoCheckpoint
		}
		return err
	})
	if err != nil {
		return d.explain(w, r, err, "problem.no_checkpoint")
	}
	send(w, textType, fileName(log, index)+".checkpoint", int64(len(note)), bytes.NewReader(note))
	return nil
}

// explain shows the page of the record with what hindered the download. The page itself may fail in
// the same way, or say that there is no such record.
func (d *downloads) explain(w http.ResponseWriter, r *http.Request, err error, key string) error {
	if r.Context().Err() != nil || errors.Is(err, site.ErrReadUnrecorded) || errors.Is(err, site.ErrNotFound) {
		return err
	}
	return showStatus(d.Site, w, r, http.StatusConflict, false, key, err)
}

// refuse shows the page of the record, from which a reader can reveal the withheld file.
func (d *downloads) refuse(w http.ResponseWriter, r *http.Request, err error, key string) error {
	return showStatus(d.Site, w, r, http.StatusForbidden, false, key, err)
}

// send sends a file of so many bytes. It takes no ranges: the next one has a newer checkpoint, and parts
// of two files are none.
func send(w http.ResponseWriter, mediaType, name string, length int64, content io.Reader) {
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	_, _ = io.Copy(w, content) // a reader who has left gets nothing
}

// fileName names the files of a record. Names of logs may hold what a file's name may not.
func fileName(log string, index uint64) string {
	return url.PathEscape(log) + "-" + strconv.FormatUint(index, 10)
}
