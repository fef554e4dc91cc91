package record

import (
	"strconv"
	"strings"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// The kinds of notices: signs that the service has changed, or is about to.
const (
	noticeEvent  = "event"  // it announces something (Events)
	noticeCode   = "code"   // it refuses with a code that the catalogue does not have
	noticeMember = "member" // its answer has a member that the contract does not have
)

// maxNotices is how many notices of a kind are logged. The rest is taken for noise.
const maxNotices = 1000

// codeUnknownMember is the finding's code of a member that the contract does not have.
const codeUnknownMember = "answer.unknown"

var (
	serviceNotices = metrics.Counters("wsfev1_service_notices_total",
		"Announcements, error codes and members of answers that the service showed for the first time, by kind.",
		[]string{"kind"}, metrics.Singly(noticeEvent, noticeCode, noticeMember))
	noticed = newNotices()
)

// notices are the announcements, codes and members that the service has shown since the process started.
type notices struct {
	mu   sync.Mutex // guards seen
	seen map[string]map[string]struct{}
}

func newNotices() *notices {
	return &notices{seen: map[string]map[string]struct{}{noticeEvent: {}, noticeCode: {}, noticeMember: {}}}
}

// first reports whether a notice is new, and whether it is the last one to be logged.
func (n *notices) first(kind, what string) (first, last bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	seen := n.seen[kind]
	if _, known := seen[what]; known || len(seen) >= maxNotices {
		return false, false
	}
	seen[what] = struct{}{}
	return true, len(seen) == maxNotices
}

// LogNews logs announcements, codes and members that the service has not shown before, with the
// name of the record.
func (f *Facts) LogNews(logger *zap.Logger) {
	if !f.Sent.Forwarded || f.Result.Typed == nil {
		return
	}
	if answer, ok := f.Result.Typed.(interface{ Announced() *wsfev1.Events }); ok {
		if events := answer.Announced(); events != nil {
			for _, e := range events.Evt {
				code := strconv.Itoa(int(e.Code))
				f.noticeOnce(logger, noticeEvent, code, zapcore.InfoLevel, "the service announces something",
					zap.String("code", code), zap.String("text", f.Mask.Text(f.Clean(e.Msg))))
			}
		}
	}
	for _, code := range f.Result.Verdict.Codes {
		// 0: a text in place of a code, which a service of this contract does not send.
		if _, known := rules.RuleByCode(code); !known && code != 0 {
			f.noticeOnce(logger, noticeCode, metrics.CodeLabel(code), zapcore.WarnLevel,
				"the service uses a code that is not in the catalogue", zap.String("code", metrics.CodeLabel(code)))
		}
	}
	for i := range f.Findings {
		if found := &f.Findings[i]; found.Code == codeUnknownMember {
			pointer := withoutPositions(found.Pointer)
			f.noticeOnce(logger, noticeMember, f.OperationName()+" "+pointer, zapcore.WarnLevel,
				"the service's answer has a member that is not in the contract", zap.String("pointer", pointer))
		}
	}
}

// noticeOnce logs and counts the first notice of its kind.
func (f *Facts) noticeOnce(logger *zap.Logger, kind, what string, level zapcore.Level, message string, fields ...zap.Field) {
	first, last := noticed.first(kind, what)
	if !first {
		return
	}
	serviceNotices.WithLabelValues(kind).Inc()
	logger.Log(level, message, append(fields, zap.String("operation", f.OperationName()),
		zap.String("shown_by", Name(f.RecordAddress(), f.ID)))...)
	if last {
		logger.Warn("too much is new in the service's answers: no more is logged until the next start", zap.String("kind", kind))
	}
}

// withoutPositions replaces each position in a list by *: a member that is new in one row is new in all.
func withoutPositions(pointer string) string {
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		if _, err := strconv.ParseUint(step, 10, 32); err == nil {
			steps[i] = "*"
		}
	}
	return strings.Join(steps, "/")
}
