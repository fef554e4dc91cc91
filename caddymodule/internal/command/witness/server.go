package witnesscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/witness"
)

const (
	// headTime, readTime and writeTime bound a request. The witness itself needs milliseconds.
	headTime, readTime, writeTime = 10 * time.Second, 20 * time.Second, 30 * time.Second
	// idleTime is how long a client may keep a connection that it does not use.
	idleTime = 2 * time.Minute
	maxHead  = 16 << 10
	// stopTime is how long a stop waits for requests at work.
	stopTime = 10 * time.Second

	plainText = "text/plain; charset=utf-8"
	// sizeType is the type of the answer that tells the newest size.
	sizeType = "text/x.tlog.size"
)

// handler answers requests for cosignatures.
type handler struct {
	witness *witness.Witness
	files   *witness.Files
	key     *cosignature.Key
	log     *zap.Logger
	site    *site.Site
	now     func() time.Time
}

func newHandler(w *witness.Witness, files *witness.Files, key *cosignature.Key, log *zap.Logger) http.Handler {
	s := &handler{witness: w, files: files, key: key, log: log, now: time.Now}
	s.site = &site.Site{Now: s.now, Logger: log}
	s.site.Prepare()
	s.site.Get("/{$}", s.showLogs)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", s.addCheckpoint)
	for _, origin := range w.Origins() {
		mux.HandleFunc("GET "+checkpointPath(origin), func(w http.ResponseWriter, _ *http.Request) { s.showCheckpoint(w, origin) })
	}
	mux.HandleFunc("GET /{$}", s.servePage)
	mux.HandleFunc("GET /assets/{name}", s.servePage)
	return mux
}

// serve answers until the context ends.
func serve(ctx context.Context, listener net.Listener, answers http.Handler) error {
	server := &http.Server{
		Handler: answers, ReadHeaderTimeout: headTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHead,
	}
	failed := make(chan error, 1)
	var running sync.WaitGroup
	panics.Go(&running, "the server of the witness", func() { failed <- server.Serve(listener) })
	defer running.Wait()
	select {
	case err := <-failed:
		return fmt.Errorf("the witness cannot answer any more: %w", err)
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		return errors.Join(fmt.Errorf("stopping: requests were still at work: %w", err), server.Close())
	}
	return nil
}

// statuses are the statuses of refusals, as C2SP's tlog-witness has them.
var statuses = map[witness.Reason]int{
	witness.Malformed:    http.StatusBadRequest,
	witness.Untrusted:    http.StatusForbidden,
	witness.Unknown:      http.StatusNotFound,
	witness.Conflict:     http.StatusConflict,
	witness.Inconsistent: http.StatusUnprocessableEntity,
}

// addCheckpoint answers a request for a cosignature.
func (s *handler) addCheckpoint(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, witness.MaxRequest))
	if err != nil {
		s.answer(w, http.StatusBadRequest, plainText, fmt.Sprintf("the request cannot be read, or has more than %d bytes\n", witness.MaxRequest))
		return
	}
	signed, err := s.witness.Add(body)
	if err == nil {
		s.log.Info("a checkpoint was cosigned", zap.String("log", signed.Head.Origin), zap.Uint64("size", signed.Head.Size))
		s.answer(w, http.StatusOK, plainText, string(signed.Line))
		return
	}
	if contradiction, ok := errors.AsType[*witness.ContradictionError](err); ok {
		s.report(contradiction)
	}
	refusal, ok := errors.AsType[*witness.RefusalError](err)
	restored, isRestored := errors.AsType[*witness.RestoredError](err)
	switch {
	case isRestored:
		s.log.Error("this witness was restored from a backup, and signs this log no more", zap.String("log", restored.Seen.Origin),
			zap.Uint64("store_size", restored.Size), zap.Uint64("signed_size", restored.Seen.Size))
		s.answer(w, http.StatusInternalServerError, plainText, "this witness was restored from a backup, and does not sign this log any more\n")
	case !ok:
		s.log.Error("a checkpoint could not be cosigned", zap.Error(err))
		s.answer(w, http.StatusInternalServerError, plainText, "the witness cannot sign: its own log says why\n")
	case refusal.Reason == witness.Conflict:
		s.answer(w, http.StatusConflict, sizeType, strconv.FormatUint(refusal.Size, 10)+"\n")
	default:
		s.answer(w, statuses[refusal.Reason], plainText, refusal.Error()+"\n")
	}
}

// report tells the operator of a checkpoint that speaks against its log.
func (s *handler) report(c *witness.ContradictionError) {
	log := s.log.With(zap.String("log", c.Origin), zap.Uint64("signed_size", c.Finding.Older.Size), zap.Uint64("refused_size", c.Finding.Refused.Size),
		zap.String("verdict", string(c.Finding.Verdict)))
	if c.Unkept != nil {
		log = log.With(zap.NamedError("not_kept", c.Unkept))
	}
	if c.Finding.Verdict.Contradicts() {
		log.Error("the log's own key has signed a checkpoint that contradicts what this witness has signed: its history was rewritten")
		return
	}
	log.Warn("a checkpoint of the log came with a proof that does not hold: anybody can send one, but if no right one follows, ask the operator of the log for it")
}

func (s *handler) answer(w http.ResponseWriter, status int, contentType, body string) {
	site.SetSecurityHeaders(w.Header())
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // a client that has left gets nothing
}

// checkpointPath is where the newest checkpoint of a log can be read.
func checkpointPath(origin string) string { return "/" + witness.LogID(origin) + "/checkpoint" }

// showCheckpoint answers with the newest checkpoint of a log that the witness has cosigned.
func (s *handler) showCheckpoint(w http.ResponseWriter, origin string) {
	head, signed := s.files.Head(origin)
	if !signed {
		s.answer(w, http.StatusNotFound, plainText, "no checkpoint of this log was cosigned yet\n")
		return
	}
	s.answer(w, http.StatusOK, plainText, string(head.Signed))
}
