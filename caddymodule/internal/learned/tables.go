package learned

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// maxListed bounds the codes of a table that a gateway keeps: the longest has some 300.
const maxListed = 4096

// maxNamed bounds the codes that a warning names.
const maxNamed = 20

// listedCodes are the codes of an answer about a table. They do not change.
type listedCodes struct {
	codes map[string]struct{}
	// classes are the classes of the conditions of receivers: 6/ALEY.
	classes map[string]struct{}
	// partial: the client asked for a part of the table.
	partial bool
}

func (l *listedCodes) same(other *listedCodes) bool {
	return l == other || l.partial == other.partial && maps.Equal(l.codes, other.codes) && maps.Equal(l.classes, other.classes)
}

// Tables are the tables that clients have had from the cache: the newest answer to each
// operation, and all parts of a table that is asked for in parts (rules.Tables). The zero value is
// empty; it is safe for concurrent use.
type Tables struct {
	// known has them by operation. A reader gets a map that nobody changes.
	known atomic.Pointer[map[string][]*listedCodes]
	mu    sync.Mutex
	// warned are the differences that the log has, by operation; guarded by mu.
	warned map[string]string
}

// Lists implements rules.Tables.
func (t *Tables) Lists(operation, id string) bool {
	return t.has(operation, func(l *listedCodes) map[string]struct{} { return l.codes }, id)
}

// Admits implements rules.Tables.
func (t *Tables) Admits(class wsfev1.Class, condition int32) bool {
	return t.has(rules.CondicionesIVA, func(l *listedCodes) map[string]struct{} { return l.classes }, inClass(condition, string(class)))
}

func (t *Tables) has(operation string, of func(*listedCodes) map[string]struct{}, key string) bool {
	known := t.known.Load()
	if known == nil {
		return false
	}
	return slices.ContainsFunc((*known)[operation], func(l *listedCodes) bool {
		_, ok := of(l)[key]
		return ok
	})
}

func inClass(condition int32, class string) string { return strconv.Itoa(int(condition)) + "/" + class }

// classesAsked is how many parts FEParamGetCondicionIvaReceptor has: one for each class.
const classesAsked = 8

// learn keeps an answer. It returns how the table differs from the built-in one, and whether that was
// not yet told; known is set if the same is there already.
func (t *Tables) learn(operation string, listed *listedCodes) (difference []string, untold, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := map[string][]*listedCodes{}
	if all := t.known.Load(); all != nil {
		if slices.ContainsFunc((*all)[operation], listed.same) {
			return nil, false, true
		}
		before = *all
	}
	after := make(map[string][]*listedCodes, len(before)+1)
	maps.Copy(after, before)
	after[operation] = []*listedCodes{listed}
	if listed.partial {
		parts := append([]*listedCodes{listed}, before[operation]...)
		after[operation] = parts[:min(len(parts), classesAsked)]
	}
	t.known.Store(&after)
	difference = listed.difference(operation)
	text := strings.Join(difference, " ")
	if untold = text != "" && t.warned[operation] != text; untold {
		if t.warned == nil {
			t.warned = map[string]string{}
		}
		t.warned[operation] = text
	}
	return difference, untold, false
}

// difference lists the codes that one of the two tables has alone: +99 is the service's, -4 the
// built-in one's.
func (l *listedCodes) difference(operation string) (codes []string) {
	builtIn := builtInCodes[operation]
	for code := range l.codes {
		if !builtIn.knows(code) {
			codes = append(codes, "+"+validate.Printable(code))
		}
	}
	if !l.partial {
		for _, code := range builtIn.rows {
			if _, listed := l.codes[code]; !listed {
				codes = append(codes, "-"+code)
			}
		}
	}
	slices.Sort(codes)
	return codes
}

// learnFrom keeps the table of an answer, and logs where it differs from the built-in one.
func (t *Tables) learnFrom(operation string, listed *listedCodes, logger *zap.Logger, name zap.Field) {
	difference, untold, known := t.learn(operation, listed)
	if known || len(difference) == 0 {
		return
	}
	TableDifferences.WithLabelValues(operation).Inc()
	if !untold {
		return
	}
	named := difference
	if len(named) > maxNamed {
		named = named[:maxNamed]
	}
	logger.Warn("a table of the service differs from the built-in one: what it lists is not refused for being unknown",
		zap.String("operation", operation), name, zap.Int("codes", len(difference)), zap.Strings("difference", named))
}
