package fielato_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	module = "github.com/fielato/fielato"
	caddy  = "github.com/caddyserver/caddy"
)

// mayImport says which packages of the module each package may import; a rule for
// a folder holds for the folders in it that have none of their own. The arrows run
// one way: cmd → caddymodule → {once, validate, audit, backend} → wsfev1.
var mayImport = map[string][]string{
	"caddymodule/internal/flights":           {"internal/panics", "wsfev1"},
	"caddymodule/internal/learned":           {"caddymodule/internal/metrics", "validate", "validate/rules", "wsfev1"},
	"caddymodule/internal/record":            {"audit", "caddymodule/internal/binding", "caddymodule/internal/fill", "caddymodule/internal/intake", "caddymodule/internal/metrics", "caddymodule/internal/outcome", "caddymodule/internal/send", "caddymodule/internal/tracing", "internal/mask", "validate", "validate/rules", "wsfev1", "caddymodule/internal/environment"},
	"caddymodule/internal/exchange":          {"audit", "caddymodule/internal/binding", "caddymodule/internal/fill", "caddymodule/internal/flights", "caddymodule/internal/identity", "caddymodule/internal/intake", "caddymodule/internal/learned", "caddymodule/internal/local", "caddymodule/internal/metrics", "caddymodule/internal/outage", "caddymodule/internal/outcome", "caddymodule/internal/record", "caddymodule/internal/send", "caddymodule/internal/tickets", "caddymodule/internal/tracing", "caddymodule/internal/trail", "internal/cache", "internal/clients", "internal/limit", "internal/clocks", "internal/once", "internal/once/canonical", "internal/panics", "validate", "wsaa", "wsaa/keeper", "wsfev1", "wsfev1/qr", "wsfev1/soap"},
	"caddymodule/internal/tracing":           {"audit"},
	"caddymodule/internal/send":              {"internal/unquoted", "audit", "caddymodule/internal/binding", "caddymodule/internal/intake", "caddymodule/internal/legacytls", "caddymodule/internal/metrics", "caddymodule/internal/outcome", "caddymodule/internal/tracing", "internal/mask", "validate", "validate/rules", "wsaa", "wsaa/client", "wsfev1", "wsfev1/soap"},
	"caddymodule/internal/intake":            {"caddymodule/internal/binding", "caddymodule/internal/fill", "internal/clients", "internal/mask", "internal/panics", "internal/typed", "validate", "validate/rules", "wsfev1", "wsfev1/soap"},
	".":                                      {"caddymodule"},
	"cmd":                                    {".", "caddymodule/command", "internal/version"},
	"cmd/fielato-bench":                      {".", "cmd/fielato-bench/internal/floor", "cmd/fielato-bench/internal/pgo", "internal/openapi"},
	"cmd/fielato-bench/internal/floor":       {},
	"cmd/fielato-bench/internal/pgo":         {},
	"caddymodule":                            {"caddymodule/admin", "caddymodule/arca", "caddymodule/command", "caddymodule/console", "caddymodule/gateway", "caddymodule/login", "caddymodule/publiclog", "caddymodule/simulator", "caddymodule/stores"},
	"caddymodule/publiclog":                  {"caddymodule/internal/signingkey", "audit", "caddymodule/app", "caddymodule/internal/cosigned", "caddymodule/internal/directive", "caddymodule/internal/layout", "caddymodule/internal/trail"},
	"internal/sshagent":                      {},
	"internal/sshagent/agenttest":            {"internal/panics"},
	"caddymodule/internal/outcome":           {"audit", "wsfev1"},
	"caddymodule/internal/documents":         {"caddymodule/internal/binding", "caddymodule/internal/forms", "caddymodule/internal/intake", "internal/mask", "internal/xmlscan", "validate", "wsfev1", "wsfev1/soap", "internal/members"},
	"caddymodule/internal/access":            {"audit", "caddymodule/app", "caddymodule/internal/directive", "caddymodule/internal/identity", "caddymodule/internal/intake", "caddymodule/internal/metrics", "caddymodule/internal/trail", "internal/clients", "internal/limit", "internal/panics"},
	"caddymodule/internal/identity":          {"internal/clients"},
	"caddymodule/internal/rulebook":          {"caddymodule/app", "caddymodule/internal/intake"},
	"caddymodule/internal/layout":            {"caddymodule/internal/directive", "caddymodule/internal/local", "wsaa/credential", "caddymodule/internal/environment"},
	"caddymodule/internal/local":             {},
	"caddymodule/internal/fill":              {"validate", "wsfev1"},
	"caddymodule/internal/ports":             {},
	"caddymodule/app":                        {"caddymodule/internal/directive", "caddymodule/internal/layout", "caddymodule/internal/metrics", "caddymodule/internal/ports", "caddymodule/internal/stdlog", "wsfev1", "internal/panics", "audit"},
	"caddymodule/internal/stdlog":            {},
	"caddymodule/internal/outage":            {"caddymodule/internal/outcome", "caddymodule/internal/metrics", "audit", "wsfev1"},
	"caddymodule/internal/checkpoint":        {"caddymodule/internal/outside", "caddymodule/app", "caddymodule/internal/metrics", "audit", "wsfev1", "internal/durable", "internal/panics", "caddymodule/internal/directive"},
	"caddymodule/internal/starts":            {"audit", "internal/version"},
	"caddymodule/internal/redaction":         {"caddymodule/internal/directive", "wsfev1"},
	"caddymodule/internal/signingkey":        {"audit", "caddymodule/internal/directive", "caddymodule/internal/keyfile", "caddymodule/internal/sentinel", "internal/sshagent"},
	"caddymodule/internal/outside":           {"internal/unquoted"},
	"caddymodule/internal/timestamped":       {"caddymodule/internal/outside", "audit", "caddymodule/app", "caddymodule/internal/directive", "caddymodule/internal/metrics", "internal/panics", "internal/timestamp", "wsfev1"},
	"caddymodule/internal/cosigned":          {"caddymodule/internal/outside", "audit", "caddymodule/app", "caddymodule/internal/directive", "caddymodule/internal/metrics", "caddymodule/internal/sentinel", "internal/cosignature", "internal/panics", "internal/witness", "wsfev1"},
	"caddymodule/internal/binding":           {"audit", "caddymodule/internal/origin", "internal/clients", "internal/limit", "internal/nearest", "internal/once", "internal/panics", "internal/typed", "internal/xmlscan", "validate", "validate/rules", "wsfev1", "wsfev1/soap", "wsfev1/soap/wsdl"},
	"caddymodule/arca":                       {"caddymodule/internal/binding", "caddymodule/internal/directive", "caddymodule/internal/legacytls", "caddymodule/internal/metrics", "validate", "wsfev1", "wsfev1/soap", "internal/ticket", "internal/xmlscan"},
	"caddymodule/internal/backup":            {"audit", "internal/durable"},
	"caddymodule/internal/keyfile":           {"audit", "caddymodule/internal/directive", "internal/durable", "internal/sshagent"},
	"caddymodule/internal/sentinel":          {"caddymodule/internal/metrics", "internal/once", "audit", "internal/durable", "internal/panics"},
	"caddymodule/internal/legacytls":         {},
	"caddymodule/internal/origin":            {},
	"caddymodule/internal/outage/history":    {"audit", "caddymodule/internal/outage", "caddymodule/internal/story", "wsfev1", "caddymodule/internal/environment"},
	"caddymodule/internal/trail":             {"caddymodule/internal/signingkey", "audit", "caddymodule/app", "caddymodule/internal/backup", "caddymodule/internal/checkpoint", "caddymodule/internal/cosigned", "caddymodule/internal/directive", "caddymodule/internal/keyfile", "caddymodule/internal/metrics", "caddymodule/internal/outage", "caddymodule/internal/redaction", "caddymodule/internal/sentinel", "caddymodule/internal/tracing", "internal/cache", "internal/durable", "internal/clocks", "internal/once", "internal/once/canonical", "internal/once/journal", "internal/once/lease", "internal/panics", "internal/mask", "wsfev1", "caddymodule/internal/timestamped", "internal/sshagent", "internal/version", "caddymodule/internal/starts"},
	"caddymodule/login":                      {"caddymodule/app", "caddymodule/internal/directive", "caddymodule/internal/keyfile", "caddymodule/internal/metrics", "caddymodule/internal/origin", "wsfev1", "wsaa"},
	"caddymodule/internal/spanish":           {"wsfev1"},
	"caddymodule/internal/evidence":          {"internal/cosignature", "caddymodule/internal/signingkey", "caddymodule/internal/damage", "audit", "caddymodule/internal/printable", "caddymodule/internal/spanish", "caddymodule/internal/story", "caddymodule/internal/story/qrcode", "caddymodule/internal/story/read", "caddymodule/internal/trail", "internal/durable", "internal/strictjson", "wsfev1", "caddymodule/internal/story/bodies", "caddymodule/internal/environment", "caddymodule/internal/timestamped", "internal/timestamp"},
	"caddymodule/console":                    {"caddymodule/internal/local", "caddymodule/internal/access", "internal/clients", "caddymodule/internal/keyfile", "caddymodule/app", "caddymodule/internal/checkpoint", "caddymodule/internal/console/exchange", "caddymodule/internal/console/outages", "caddymodule/internal/console/proof", "caddymodule/internal/console/readings", "caddymodule/internal/console/search", "caddymodule/internal/console/site", "caddymodule/internal/console/today", "caddymodule/internal/directive", "caddymodule/internal/layout", "caddymodule/internal/trail", "audit", "caddymodule/internal/console/catalogue", "caddymodule/internal/console/tryit", "caddymodule/internal/rulebook", "caddymodule/internal/console/month", "caddymodule/internal/console/invoice"},
	"caddymodule/internal/console/exchange":  {"caddymodule/internal/damage", "audit", "caddymodule/internal/console/exchange/tree", "caddymodule/internal/console/mask", "caddymodule/internal/console/site", "caddymodule/internal/evidence", "caddymodule/internal/fill", "caddymodule/internal/outage", "caddymodule/internal/printable", "caddymodule/internal/spanish", "caddymodule/internal/story", "caddymodule/internal/story/qrcode", "caddymodule/internal/story/read", "internal/xmlscan", "wsfev1", "caddymodule/internal/environment", "internal/members"},
	"caddymodule/internal/console/invoice":   {"caddymodule/internal/damage", "audit", "caddymodule/internal/console/exchange/tree", "caddymodule/internal/console/mask", "caddymodule/internal/console/proof", "caddymodule/internal/console/site", "caddymodule/internal/environment", "caddymodule/internal/evidence", "caddymodule/internal/spanish", "caddymodule/internal/story", "caddymodule/internal/story/qrcode", "caddymodule/internal/story/read", "wsfev1", "caddymodule/internal/story/bodies", "caddymodule/internal/console/exchange", "caddymodule/internal/console/standing"},
	"caddymodule/internal/console/standing":  {"audit", "caddymodule/internal/console/site", "caddymodule/internal/environment", "caddymodule/internal/evidence", "caddymodule/internal/story"},
	"caddymodule/internal/console/mask":      {"audit", "internal/mask/forms", "internal/mask/walk", "wsfev1", "internal/xmlscan"},
	"caddymodule/internal/console/catalogue": {"caddymodule/internal/console/site", "caddymodule/internal/rulebook", "validate", "validate/rules", "wsfev1"},
	"caddymodule/internal/console/tryit":     {"caddymodule/internal/spreadsheet", "caddymodule/internal/console/site", "caddymodule/internal/forms", "caddymodule/internal/documents", "caddymodule/internal/printable", "caddymodule/internal/spanish", "internal/limit", "internal/nearest", "internal/mask", "validate", "wsfev1", "caddymodule/internal/console/exchange", "internal/members", "internal/mask/walk"},
	"caddymodule/internal/console/today":     {"audit", "caddymodule/internal/environment", "caddymodule/internal/console/mask", "caddymodule/internal/console/site", "caddymodule/internal/outage/history", "caddymodule/internal/printable", "caddymodule/internal/spanish", "caddymodule/internal/tally", "caddymodule/internal/tickets", "internal/panics", "validate/rules", "wsfev1", "caddymodule/internal/outage", "caddymodule/internal/story", "caddymodule/internal/story/read", "caddymodule/internal/damage"},
	"caddymodule/internal/console/outages":   {"audit", "caddymodule/internal/console/site", "caddymodule/internal/outage", "caddymodule/internal/outage/history", "caddymodule/internal/spanish", "caddymodule/internal/story", "wsfev1"},

	"caddymodule/internal/console/proof":          {"caddymodule/internal/signingkey", "audit", "caddymodule/internal/checkpoint", "caddymodule/internal/console/mask", "caddymodule/internal/console/site", "caddymodule/internal/evidence", "caddymodule/internal/outage/history", "caddymodule/internal/printable", "caddymodule/internal/spanish", "caddymodule/internal/story", "caddymodule/internal/story/read", "caddymodule/internal/trail", "wsfev1", "caddymodule/internal/environment"},
	"caddymodule/internal/console/search":         {"audit", "caddymodule/internal/console/find", "caddymodule/internal/console/mask", "caddymodule/internal/console/search/listing", "caddymodule/internal/console/site", "caddymodule/internal/console/standing", "caddymodule/internal/damage", "caddymodule/internal/environment", "caddymodule/internal/evidence", "caddymodule/internal/outage", "caddymodule/internal/outcome", "caddymodule/internal/printable", "caddymodule/internal/spanish", "caddymodule/internal/spreadsheet", "caddymodule/internal/story", "caddymodule/internal/story/bodies", "caddymodule/internal/trail", "wsfev1", "caddymodule/internal/when"},
	"caddymodule/internal/console/search/listing": {"audit", "caddymodule/internal/console/site", "caddymodule/internal/damage", "caddymodule/internal/story", "caddymodule/internal/story/bodies", "wsfev1"},
	"caddymodule/internal/console/month":          {"caddymodule/internal/closing", "caddymodule/internal/console/site", "caddymodule/internal/environment", "caddymodule/internal/printable", "caddymodule/internal/spanish", "internal/panics", "wsfev1", "caddymodule/internal/when"},
	"caddymodule/internal/console/site":           {"caddymodule/internal/signingkey", "caddymodule/internal/damage", "audit", "caddymodule/internal/checkpoint", "caddymodule/internal/identity", "caddymodule/internal/console/mask", "caddymodule/internal/intake", "caddymodule/internal/local", "caddymodule/internal/origin", "caddymodule/internal/rulebook", "caddymodule/internal/spanish", "caddymodule/internal/story", "caddymodule/internal/trail", "internal/clients", "internal/panics", "wsfev1", "caddymodule/internal/timestamped"},
	"caddymodule/internal/console/find":           {"audit", "wsfev1", "caddymodule/internal/when", "wsfev1/qr"},
	"caddymodule/internal/console/readings":       {"audit", "caddymodule/internal/console/mask", "caddymodule/internal/console/site", "caddymodule/internal/story", "caddymodule/internal/trail"},
	"caddymodule/internal/when":                   {"wsfev1"},
	"caddymodule/internal/tickets":                {"caddymodule/app", "caddymodule/internal/checkpoint", "caddymodule/internal/directive", "caddymodule/internal/keyfile", "caddymodule/internal/legacytls", "caddymodule/internal/metrics", "internal/nearest", "internal/panics", "wsaa", "wsaa/client", "wsaa/client/overhttp", "wsaa/credential", "wsaa/keeper", "wsfev1", "internal/sshagent"},
	"caddymodule/simulator":                       {"caddymodule/app", "caddymodule/internal/binding", "caddymodule/internal/directive", "caddymodule/login", "caddymodule/internal/metrics", "internal/backend", "validate", "validate/rules", "wsfev1", "wsaa"},
	"caddymodule/stores":                          {"caddymodule/internal/directive", "caddymodule/internal/tickets", "wsaa/keeper/file", "wsaa/keeper/postgres", "caddymodule/internal/trail", "caddymodule/simulator", "audit", "audit/sqlite", "audit/postgres", "internal/backend", "internal/backend/sqlite", "internal/backend/postgres", "internal/postgres"},
	"caddymodule/gateway":                         {"caddymodule/app", "caddymodule/internal/access", "caddymodule/internal/binding", "caddymodule/internal/checkpoint", "caddymodule/internal/cosigned", "caddymodule/internal/directive", "caddymodule/internal/exchange", "caddymodule/internal/fill", "caddymodule/internal/flights", "caddymodule/internal/intake", "caddymodule/internal/learned", "caddymodule/internal/metrics", "caddymodule/internal/outage", "caddymodule/internal/record", "caddymodule/internal/redaction", "caddymodule/internal/rulebook", "caddymodule/internal/tickets", "caddymodule/internal/trail", "caddymodule/login", "internal/clients", "internal/limit", "internal/nearest", "internal/clocks", "internal/once", "internal/openapi", "validate", "validate/rules", "wsaa", "wsfev1", "caddymodule/internal/timestamped"},
	"caddymodule/admin":                           {"caddymodule/app", "caddymodule/internal/binding", "caddymodule/internal/checkpoint", "caddymodule/internal/cosigned", "caddymodule/login", "caddymodule/internal/outage", "caddymodule/simulator", "caddymodule/internal/tickets", "caddymodule/internal/trail", "wsfev1", "caddymodule/internal/timestamped"},
	"caddymodule/command":                         {"audit/postgres", "caddymodule/internal/command/keeping", "caddymodule/internal/command/proving", "caddymodule/internal/command/reading", "caddymodule/internal/command/cli", "caddymodule/internal/command/clients", "caddymodule/internal/command/doctor", "caddymodule/internal/command/login", "caddymodule/internal/command/view", "caddymodule/internal/command/witness", "caddymodule/internal/forms", "caddymodule/internal/intake", "caddymodule/internal/documents", "caddymodule/internal/printable", "caddymodule/stores", "internal/backend", "internal/backend/postgres", "internal/nearest", "internal/openapi", "internal/postgres", "internal/version", "validate", "validate/rules", "wsaa", "wsaa/keeper/postgres", "wsfev1", "caddymodule/internal/command/table"},
	"caddymodule/internal/command/clients":        {"audit", "caddymodule/internal/access", "caddymodule/internal/command/cli", "caddymodule/internal/command/view", "caddymodule/internal/layout", "caddymodule/internal/printable", "internal/clients", "wsfev1", "caddymodule/internal/command/table"},
	"caddymodule/internal/command/doctor":         {"caddymodule/internal/backup", "caddymodule/internal/cosigned", "caddymodule/internal/timestamped", "caddymodule/internal/signingkey", "audit", "caddymodule/app", "caddymodule/arca", "caddymodule/internal/access", "caddymodule/internal/binding", "caddymodule/internal/checkpoint", "caddymodule/internal/command/cli", "caddymodule/internal/command/view", "caddymodule/internal/directive", "caddymodule/internal/keyfile", "caddymodule/internal/layout", "caddymodule/internal/legacytls", "caddymodule/internal/ports", "caddymodule/internal/printable", "caddymodule/internal/sentinel", "caddymodule/internal/tickets", "caddymodule/internal/trail", "caddymodule/stores", "internal/clients", "internal/durable", "internal/postgres", "wsaa/client", "wsaa/credential", "wsaa/keeper/postgres", "wsfev1", "wsfev1/soap", "caddymodule/internal/command/table", "internal/sshagent"},
	"caddymodule/internal/forms":                  {"audit", "caddymodule/internal/printable", "internal/nearest", "internal/mask", "internal/xmlscan", "validate", "wsfev1", "wsfev1/soap"},
	"caddymodule/internal/command/login":          {"caddymodule/internal/checkpoint", "caddymodule/internal/command/cli", "caddymodule/internal/keyfile", "caddymodule/internal/legacytls", "caddymodule/internal/tickets", "wsaa", "wsaa/client", "wsaa/credential", "wsfev1", "internal/durable"},
	"caddymodule/internal/command/table":          {},
	"caddymodule/internal/command/view":           {"audit", "internal/cosignature", "caddymodule/internal/outcome", "caddymodule/internal/printable", "caddymodule/internal/story", "caddymodule/internal/story/qrcode", "wsfev1", "caddymodule/internal/command/table"},
	"caddymodule/internal/command/cli":            {"caddymodule/internal/signingkey", "internal/cosignature", "caddymodule/internal/keyfile", "caddymodule/internal/sentinel", "caddymodule/internal/command/view", "caddymodule/stores", "caddymodule/internal/trail", "audit", "audit/postgres", "audit/sqlite", "internal/backend", "internal/backend/postgres", "internal/backend/sqlite", "internal/postgres", "internal/panics", "wsfev1", "internal/nearest", "caddymodule/internal/directive", "caddymodule/internal/when", "caddymodule/internal/command/table", "internal/sshagent"},
	"caddymodule/internal/command/totals":         {"caddymodule/internal/closing", "caddymodule/internal/command/cli", "caddymodule/internal/environment", "caddymodule/internal/printable", "caddymodule/internal/spreadsheet", "wsfev1", "caddymodule/internal/command/table"},
	"caddymodule/internal/command/witness":        {"caddymodule/internal/signingkey", "audit", "caddymodule/internal/checkpoint", "caddymodule/internal/command/cli", "caddymodule/internal/console/site", "caddymodule/internal/keyfile", "caddymodule/internal/trail", "internal/cosignature", "internal/panics", "internal/witness"},
	"caddymodule/internal/command/keeping":        {"audit", "audit/verify", "caddymodule/internal/backup", "caddymodule/internal/checkpoint", "caddymodule/internal/command/cli", "caddymodule/internal/command/table", "caddymodule/internal/command/view", "caddymodule/internal/evidence", "caddymodule/internal/keyfile", "caddymodule/internal/sentinel", "caddymodule/internal/signingkey", "caddymodule/internal/timestamped", "caddymodule/internal/trail", "internal/durable", "internal/once/canonical", "wsfev1"},
	"caddymodule/internal/command/proving":        {"audit", "audit/export", "audit/verify", "caddymodule/internal/checkpoint", "caddymodule/internal/command/cli", "caddymodule/internal/command/table", "caddymodule/internal/command/view", "caddymodule/internal/evidence", "caddymodule/internal/printable", "caddymodule/internal/sentinel", "caddymodule/internal/timestamped", "internal/durable", "internal/timestamp", "wsfev1"},
	"caddymodule/internal/command/reading":        {"audit", "caddymodule/internal/access", "caddymodule/internal/command/cli", "caddymodule/internal/command/table", "caddymodule/internal/command/totals", "caddymodule/internal/command/view", "caddymodule/internal/evidence", "caddymodule/internal/outage", "caddymodule/internal/outage/history", "caddymodule/internal/outcome", "caddymodule/internal/printable", "caddymodule/internal/spreadsheet", "caddymodule/internal/story", "caddymodule/internal/story/qrcode", "caddymodule/internal/story/read", "caddymodule/internal/tally", "caddymodule/internal/trail", "internal/nearest", "wsfev1"},
	"caddymodule/internal/metrics":                {"validate/rules", "wsfev1", "internal/panics", "internal/version"},
	"caddymodule/internal/caddytest/fixture":      {},
	"caddymodule/internal/caddytest":              {"caddymodule/internal/caddytest/fixture", "audit", "internal/audittest", "internal/cosignature", "audit/postgres", "audit/sqlite", "internal/postgres/postgrestest", "internal/testrun", "wsaa", "wsaa/client", "internal/wsaatest", "wsfev1", "validate", "wsfev1/soap", "internal/timestamp/tsatest"},
	"caddymodule/internal/directive":              {"validate", "validate/rules", "wsfev1", "internal/nearest", "internal/sshagent"},
	"internal/once":                               {"audit", "internal/once/compare", "internal/once/lease", "internal/panics", "wsfev1"},
	"internal/once/compare":                       {"wsfev1"},
	"internal/once/journal":                       {"audit", "internal/once", "wsfev1"},
	"internal/once/lease":                         {"audit", "internal/clocks", "internal/panics"},
	"internal/once/canonical":                     {"audit", "internal/typed", "wsfev1"},
	"internal/backend":                            {"wsaa", "validate", "validate/rules", "wsfev1"},
	"internal/backend/rows":                       {"internal/backend", "wsfev1"},
	"internal/backend/sqlite":                     {"internal/backend", "internal/backend/rows", "wsfev1", "internal/openfiles", "internal/panics"},
	"internal/backend/postgres":                   {"internal/backend", "internal/backend/rows", "wsfev1", "internal/postgres", "internal/panics"},
	"internal/backend/backendtest":                {"internal/backend", "wsfev1"},
	"validate":                                    {"internal/jsonscan", "internal/typed", "wsfev1", "wsfev1/soap"},
	"wsaa":                                        {"wsaa/internal/cms", "wsfev1"},
	"wsaa/internal/cms":                           {},
	"wsaa/credential":                             {"wsaa", "wsaa/internal/cms", "wsfev1"},
	"wsaa/client":                                 {"wsaa", "wsaa/credential", "wsfev1", "internal/xmlscan"},
	"wsaa/client/overhttp":                        {"internal/unquoted", "wsaa/client"},
	"internal/unquoted":                           {},
	"wsaa/keeper":                                 {"wsaa", "wsaa/client", "wsaa/credential", "wsfev1", "internal/panics"},
	"wsaa/keeper/file":                            {"wsaa/keeper", "internal/durable"},
	"wsaa/keeper/internal/keepertest":             {"wsaa/keeper"},
	"wsaa/keeper/postgres":                        {"wsaa/keeper", "internal/postgres"},
	"internal/wsaatest":                           {"wsaa", "wsaa/client"},
	"validate/rules":                              {"validate", "wsfev1"},
	"internal/validatetest":                       {"validate", "wsfev1"},
	"audit":                                       {"wsfev1", "internal/panics"},
	"internal/mask":                               {"audit", "internal/mask/forms", "internal/mask/needles", "internal/mask/walk", "internal/xmlscan", "validate", "wsfev1"},
	"internal/mask/needles":                       {"internal/mask/forms"},
	"internal/mask/forms":                         {},
	"internal/mask/masktest":                      {},
	"internal/mask/walk":                          {"internal/xmlscan"},
	"audit/verify":                                {"audit", "wsfev1", "internal/panics"},
	"audit/export":                                {"audit", "audit/export/internal/invoice", "audit/export/internal/jsonline", "audit/verify", "wsfev1", "internal/ordered", "internal/panics", "internal/strictjson", "internal/timestamp"},
	"audit/export/internal/invoice":               {"audit", "audit/export/internal/jsonline", "wsfev1", "internal/jsonscan"},
	"audit/export/internal/jsonline":              {"audit", "wsfev1"},
	"internal/segment":                            {"audit", "internal/panics", "internal/segment/frame", "internal/segment/run", "wsfev1", "internal/segment/term"},
	"internal/segment/term":                       {"audit", "internal/segment/run"},
	"internal/segment/run":                        {"audit", "internal/panics", "internal/segment/frame"},
	"internal/segment/frame":                      {"audit"},
	"audit/sqlite/internal/file":                  {"audit"},
	"audit/sqlite":                                {"audit", "audit/sqlite/internal/file", "internal/segment", "internal/segment/run", "wsfev1", "internal/durable", "internal/openfiles", "internal/panics"},
	"audit/postgres":                              {"audit", "internal/segment", "internal/segment/run", "wsfev1", "internal/postgres", "internal/panics"},
	"internal/audittest":                          {"audit", "audit/verify", "internal/cosignature", "internal/testrun", "wsfev1"},
	"grafana":                                     {},
	"grafana/generate":                            {"grafana"},
	"internal/cache":                              {},
	"internal/clients":                            {"internal/limit", "internal/nearest", "wsfev1"},
	"internal/clocks":                             {},
	"internal/durable":                            {},
	"internal/hostile":                            {},
	"internal/idset":                              {},
	"internal/limit":                              {},
	"internal/members":                            {"internal/mask/walk"},
	"internal/nearest":                            {},
	"internal/jsonscan":                           {},
	"internal/strictjson":                         {},
	"internal/typed":                              {"wsfev1"},
	"internal/openfiles":                          {},
	"internal/ordered":                            {"internal/panics"},
	"internal/panics":                             {},
	"internal/postgres":                           {},
	"internal/postgres/postgrestest":              {"internal/testrun"},
	"internal/testrun":                            {},
	"internal/pages":                              {},
	"internal/version":                            {},
	"release":                                     {},
	"release/image":                               {},
	"wsfev1":                                      {"internal/idset"},
	"internal/openapi":                            {"wsfev1"},
	"wsfev1/qr":                                   {"wsfev1"},
	"wsfev1/soap":                                 {"internal/typed", "internal/xmlscan", "wsfev1", "wsfev1/soap/internal/double"},
	"wsfev1/soap/internal/double":                 {"wsfev1"},
	"wsfev1/soap/wsdl":                            {"wsfev1", "wsfev1/soap"},
	"internal/ticket":                             {"wsfev1", "wsfev1/soap", "internal/xmlscan"},
	"internal/xmlscan":                            {},
	"internal/cosignature":                        {},
	"internal/timestamp":                          {},
	"internal/timestamp/tsatest":                  {},
	"internal/witness":                            {"audit", "internal/cosignature", "internal/durable"},
	"caddymodule/internal/printable":              {"audit", "internal/xmlscan", "wsfev1", "wsfev1/soap"},
	"caddymodule/internal/story":                  {"audit", "caddymodule/internal/fill", "caddymodule/internal/outcome", "caddymodule/internal/printable", "caddymodule/internal/spanish", "validate", "validate/rules", "wsfev1", "caddymodule/internal/story/bodies", "caddymodule/internal/environment"},
	"caddymodule/internal/closing":                {"audit", "caddymodule/internal/damage", "caddymodule/internal/environment", "caddymodule/internal/spanish", "caddymodule/internal/story", "internal/jsonscan", "internal/ordered", "wsfev1", "caddymodule/internal/story/bodies", "caddymodule/internal/spreadsheet"},
	"caddymodule/internal/environment":            {"audit", "wsaa/credential"},
	"caddymodule/internal/story/bodies":           {"caddymodule/internal/spanish", "wsfev1"},
	"caddymodule/internal/damage":                 {"audit"},
	"caddymodule/internal/spreadsheet":            {"audit/export", "caddymodule/internal/printable", "wsfev1"},
	"caddymodule/internal/story/qrcode":           {"audit", "caddymodule/internal/story", "validate", "wsfev1", "wsfev1/qr"},
	"caddymodule/internal/story/read":             {"caddymodule/internal/damage", "audit", "caddymodule/internal/story"},
	"caddymodule/internal/tally/tallytest":        {"audit", "audit/sqlite", "caddymodule/internal/story", "caddymodule/internal/tally", "internal/audittest", "wsfev1"},
	"caddymodule/internal/tally":                  {"audit", "caddymodule/internal/environment", "caddymodule/internal/outcome", "caddymodule/internal/story", "wsfev1", "caddymodule/internal/damage"},
}

// foreign lists, for packages of others, which of ours alone may use them. For Caddy this binds
// the tests too: a package without Caddy is tested without Caddy.
var foreign = map[string][]string{
	caddy:                                 {".", "cmd", "caddymodule"},
	"modernc.org":                         {"audit/sqlite", "internal/backend/sqlite"},
	"github.com/jackc/pgx":                {"internal/postgres", "audit/postgres", "internal/backend/postgres", "wsaa/keeper/postgres"},
	"github.com/prometheus/client_golang": {"caddymodule", "grafana"},
	"go.uber.org/zap":                     {"caddymodule"},
	"github.com/spf13/cobra":              {"caddymodule"},
	"go.opentelemetry.io/otel":            {"caddymodule/internal/record", "caddymodule/internal/tracing"},
	"golang.org/x/mod/sumdb":              {"audit", "internal/audittest", "internal/cosignature", "internal/segment", "internal/witness", "caddymodule"},
	"golang.org/x/crypto/cryptobyte":      {"internal/timestamp"},
	"github.com/govalues/decimal":         {"wsfev1"},
	"database/sql":                        {"audit/sqlite", "audit/postgres", "internal/backend/sqlite", "internal/backend/postgres", "caddymodule/internal/caddytest"},
	"encoding/json":                       {"caddymodule"},
	"net/http":                            {"caddymodule", "cmd", "grafana", "wsaa/client/overhttp"},
	"github.com/dustin/go-humanize":       {"caddymodule"},
	"github.com/klauspost/compress":       {"audit/export", "internal/backend/rows", "internal/segment/frame"},
	"go.yaml.in/yaml":                     {"internal/backend"},
	"golang.org/x/time":                   {"internal/limit"},
	"github.com/getkin/kin-openapi":       {"cmd/fielato-bench"},
	"github.com/smallstep/pkcs7":          {"wsaa/internal/cms"},
	"software.sslmate.com/src/go-pkcs12":  {"wsaa/credential"},
}

// source is a Go file of the repository.
type source struct {
	file, folder string
	test         bool
	syntax       *ast.File
	imports      []string
}

// parsed are all files, once a test has asked for them.
var parsed []source

// sources returns all files. They are parsed once, for a dozen tests look at them; none may change them.
func sources(t *testing.T) []source {
	t.Helper()
	if parsed != nil {
		return parsed
	}
	all, err := parseAll()
	if err != nil || len(all) < 100 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	parsed = all
	return all
}

func parseAll() (all []source, err error) {
	err = filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		s := source{file: file, folder: filepath.ToSlash(filepath.Dir(file)), test: strings.HasSuffix(file, "_test.go"), syntax: syntax}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, imported)
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// within reports whether a path is root or lies below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

// ruleOf returns what a folder's code may import.
func ruleOf(folder string) ([]string, bool) {
	for ; folder != "."; folder = path.Dir(folder) {
		if allowed, ok := mayImport[folder]; ok {
			return allowed, true
		}
	}
	return nil, false
}

func TestPackagesImportInOneDirection(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		if s.test {
			continue // tests drive what they like
		}
		allowed, ok := mayImport[s.folder], s.folder == "."
		if !ok {
			allowed, ok = ruleOf(s.folder)
		}
		if !ok {
			t.Errorf("%s: no rule for the folder %s", s.file, s.folder)
		}
		for _, imported := range s.imports {
			if !within(imported, module) {
				continue
			}
			checked++
			inner := path.Clean(strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"))
			if !slices.Contains(allowed, inner) && inner != s.folder {
				t.Errorf("%s imports %s; %s may import %v", s.file, inner, s.folder, allowed)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d imports were looked at", checked)
	}
}

func TestForeignPackagesStayWhereTheyBelong(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for root, folders := range foreign {
				if !within(imported, root) || s.test && root != caddy {
					continue
				}
				home := slices.ContainsFunc(folders, func(folder string) bool {
					return s.folder == folder || folder != "." && within(s.folder, folder)
				})
				if !home {
					t.Errorf("%s imports %s, which belongs to %v", s.file, imported, folders)
				}
			}
		}
	}
}

// TestEncodingJSONIsThereForCaddyAlone: it matches names without regard to case, so
// nothing of the wire may pass through it. Caddy's configuration needs its RawMessage.
func TestEncodingJSONIsThereForCaddyAlone(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !slices.Contains(s.imports, "encoding/json") {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if base, ok := selector.X.(*ast.Ident); ok && base.Name == "json" && selector.Sel.Name != "RawMessage" {
				t.Errorf("%s uses encoding/json.%s", s.file, selector.Sel.Name)
			}
			return true
		})
	}
}

// TestGatewayIsTheTopOfItsHouse: nothing imports it but the package that registers modules,
// and only the program imports the commands.
func TestGatewayIsTheTopOfItsHouse(t *testing.T) {
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			inner := strings.TrimPrefix(imported, module+"/")
			switch {
			case s.test:
			case inner == "caddymodule/gateway" && s.folder != "caddymodule":
				t.Errorf("%s imports the gateway", s.file)
			case isCommand(inner) && !slices.Contains([]string{"caddymodule", "cmd/fielato"}, s.folder) && !isCommand(s.folder):
				t.Errorf("%s imports the command room %s", s.file, inner)
			}
		}
	}
}

func isCommand(folder string) bool {
	return within(folder, "caddymodule/command") || within(folder, "caddymodule/internal/command")
}

// TestPublicPackagesAreListed: other modules can import what docs/library.md lists and what registers
// modules of Caddy. Everything else is in a folder named internal.
func TestPublicPackagesAreListed(t *testing.T) {
	page, err := os.ReadFile("docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	registers := map[string]bool{".": true, "caddymodule": true, "caddymodule/command": true, "grafana": true, "release": true}
	public := map[string]bool{}
	for _, s := range sources(t) {
		if s.test || s.syntax.Name.Name == "main" || slices.Contains(strings.Split(s.folder, "/"), "internal") {
			continue
		}
		public[s.folder] = true
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if name, ok := n.(*ast.SelectorExpr); ok && (name.Sel.Name == "RegisterModule" || name.Sel.Name == "Register") {
				registers[s.folder] = true
			}
			return true
		})
	}
	for folder := range public {
		if !registers[folder] && !strings.Contains(string(page), "`"+folder+"`") {
			t.Errorf("%s is public, does not register modules, and is not listed in docs/library.md", folder)
		}
	}
	for _, match := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(string(page), -1) {
		for folder := range strings.SplitSeq(match[1], ", ") {
			if folder = strings.Trim(folder, "`"); !public[folder] {
				t.Errorf("docs/library.md lists %s, which nobody can import", folder)
			}
		}
	}
}

// Bounds of what one reader can keep in mind, in lines that are not tests. A package with fewer than minPackage
// costs more than it tells: another place to look in, and with tests another binary to link.
const (
	maxFile    = 300
	maxPackage = 2500
	minPackage = 100
)

// reason are the words with which the comment of a small package says why it is no part of another.
const reason = "a package of its own because"

// largeRooms are the packages that are larger: each is one subject.
var largeRooms = []string{"caddymodule/internal/caddytest", "validate/rules", "internal/backend", "audit", "internal/audittest"}

func TestRoomsStaySmall(t *testing.T) {
	lines, comments := map[string]int{}, map[string]string{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		content, err := os.ReadFile(s.file)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(string(content), "\n")
		if n > maxFile {
			t.Errorf("%s has %d lines: %d is the most", s.file, n, maxFile)
		}
		lines[s.folder] += n
		comments[s.folder] += s.syntax.Doc.Text()
	}
	for folder, n := range lines {
		if n < minPackage && !strings.Contains(strings.Join(strings.Fields(comments[folder]), " "), reason) {
			t.Errorf("%s has %d lines: make it a part of the package that imports it, or let its comment say that it is %s …", folder, n, reason)
		}
		if n > maxPackage && !slices.Contains(largeRooms, folder) {
			t.Errorf("%s has %d lines: %d is the most", folder, n, maxPackage)
		}
	}
}

// isOurs reports whether an entry is of a kind that belongs to a repository: code,
// documents, folders. What a user tries out beside them does not count.
func isOurs(entry os.DirEntry) bool {
	return entry.IsDir() || slices.Contains([]string{".go", ".md", ".yml", ".yaml", ".sh"}, path.Ext(entry.Name()))
}

// TestTopLevelHoldsWhatIsListed and nothing else. Hidden files, and files that version control
// ignores, do not count.
func TestTopLevelHoldsWhatIsListed(t *testing.T) {
	listed := strings.Fields("README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE NOTICE Caddyfile.example go.mod go.sum fielato.go architecture_test.go errors_test.go comments_test.go modules_test.go contributing_test.go serial_test.go" +
		" cmd wsfev1 wsaa validate audit caddymodule grafana docs internal release")
	ignored, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || slices.Contains(listed, name) || !isOurs(entry) {
			continue
		}
		if !slices.ContainsFunc(strings.Fields(string(ignored)), func(pattern string) bool {
			matched, _ := path.Match(strings.Trim(pattern, "/"), name)
			return matched
		}) {
			t.Errorf("%s is not listed", name)
		}
	}
	for name := range strings.FieldsSeq("README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE NOTICE .editorconfig Caddyfile.example go.mod go.sum fielato.go cmd wsfev1 validate audit caddymodule") {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// anchorCited is a citation of a place in docs/sources.md. One that a comment wraps has its
// address on one line.
var anchorCited = regexp.MustCompile(`docs/sources\.md(#[a-z0-9-]+)?`)

// TestCitationsCanBeRead: every source that the code cites is in this repository or public. The
// page of sources has each place that is named.
func TestCitationsCanBeRead(t *testing.T) {
	page, err := os.ReadFile("docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{"": true}
	for line := range strings.Lines(string(page)) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			places["#"+strings.ReplaceAll(strings.ToLower(strings.TrimSpace(heading)), " ", "-")] = true
		}
	}
	for _, link := range regexp.MustCompile(`\]\((#[^)]*)\)`).FindAllStringSubmatch(string(page), -1) {
		if !places[link[1]] {
			t.Errorf("docs/sources.md has no place %s, which it links to", link[1])
		}
	}
	// Written in two halves, or this file would cite them.
	unreadable := []string{"domain" + ".md", "interface" + ".md", "observed-behaviour" + ".md"}
	cited := 0
	for file, text := range textFiles(t) {
		for _, name := range unreadable {
			if strings.Contains(text, name) {
				t.Errorf("%s cites %s, which nobody can read", file, name)
			}
		}
		for _, match := range anchorCited.FindAllStringSubmatch(text, -1) {
			cited++
			if !places[match[1]] {
				t.Errorf("%s cites docs/sources.md%s, which is not there", file, match[1])
			}
		}
	}
	if cited < 100 {
		t.Errorf("only %d citations were looked at", cited)
	}
}

// textFiles returns the contents of the files of the repository.
func textFiles(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".git"):
			return nil
		}
		text, err := os.ReadFile(file)
		if utf8.Valid(text) {
			texts[filepath.ToSlash(file)] = string(text)
		}
		return err
	})
	if err != nil || len(texts) < 500 {
		t.Fatalf("%d files: %v", len(texts), err)
	}
	return texts
}

// TestEveryGoroutineRecovers at its root: a panic that nobody recovers ends the process, and
// with it the requests of every issuer. Helpers of tests and the benchmark may die.
func TestEveryGoroutineRecovers(t *testing.T) {
	aids := []string{"cmd/fielato-bench", "internal/audittest", "internal/backend/backendtest", "internal/postgres/postgrestest", "internal/testrun", "caddymodule/internal/caddytest", "wsaa/keeper/internal/keepertest", "internal/panics"}
	checked := 0
	for _, s := range sources(t) {
		if s.test || slices.ContainsFunc(aids, func(aid string) bool { return within(s.folder, aid) }) {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			root := startedBy(n)
			if root == nil {
				return true
			}
			checked++
			if !recovers(root) {
				t.Errorf("%s starts a goroutine without a recover at its root: use package panics", s.file)
			}
			return true
		})
	}
	if checked < 8 {
		t.Errorf("only %d goroutines were looked at", checked)
	}
}

// startedBy returns what a node starts in a goroutine of its own, nil if it starts none. The
// end of a context does nothing but end it.
func startedBy(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call.Fun
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || len(n.Args) == 0 {
			return nil
		}
		last := n.Args[len(n.Args)-1]
		base, _ := selector.X.(*ast.Ident)
		switch {
		case base != nil && base.Name == "panics":
			return nil
		case selector.Sel.Name == "Go" && len(n.Args) == 1:
			return last
		case selector.Sel.Name == "AfterFunc":
			if f, ok := last.(*ast.Ident); !ok || f.Name != "cancel" {
				return last
			}
		}
	}
	return nil
}

// recovers reports whether a function literal makes use of package panics.
func recovers(root ast.Expr) bool {
	literal, ok := root.(*ast.FuncLit)
	if !ok {
		return false
	}
	found := false
	ast.Inspect(literal.Body, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			base, ok := selector.X.(*ast.Ident)
			found = found || ok && base.Name == "panics"
		}
		return true
	})
	return found
}

// maxConductor bounds the methods of the value that leads an exchange. A new step is a function that takes
// values and returns one: with more methods, nobody could tell any more which of them changes what.
const maxConductor = 30

func TestTheConductorStaysSmall(t *testing.T) {
	methods := 0
	for _, s := range sources(t) {
		if s.test || s.folder != "caddymodule/internal/exchange" {
			continue
		}
		for _, declared := range s.syntax.Decls {
			f, ok := declared.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			if pointer, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
				if name, ok := pointer.X.(*ast.Ident); ok && name.Name == "exchange" {
					methods++
				}
			}
		}
	}
	if methods == 0 || methods > maxConductor {
		t.Errorf("exchange has %d methods: %d is the most", methods, maxConductor)
	}
}
