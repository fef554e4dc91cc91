package command_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

func file(name, text string, mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

func folder(name string) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

var site = regexp.MustCompile(`http://(127.0.0.1:\d+)`)

// listening takes the port of the site in the Caddyfile.
func listening(t *testing.T, folder string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", site.FindStringSubmatch(string(text))[1])
	if errors.Is(err, syscall.EADDRINUSE) {
		return // the previous start still holds it
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
}

// certified writes erp.crt and erp.key, until some days from now.
func certified(days int) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		until := time.Now().AddDate(0, 0, days)
		certificate, key := caddytest.WriteCredential(t, wsaatest.NewClient(t, wsaatest.Spec{From: until.AddDate(-1, 0, 0), Until: until}))
		for from, to := range map[string]string{certificate: "erp.crt", key: "erp.key"} {
			if err := os.Rename(from, filepath.Join(folder, to)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// hashed is a password as basic_auth takes it.
const hashed = "$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG"

const keptBlock = "wsaa http://127.0.0.1:9 {\ncertificate erp.crt\nkey erp.key\ncuits 20111111112\n}"

var mistakes = []mistake{
	// Mistakes in the text.
	{name: "unknown option, near", options: "upstream_timout 2m", at: "upstream_timout", cure: "did you mean upstream_timeout"},
	{name: "option of the block of audit", options: "checkpoint_to x.txt", at: "checkpoint_to", cure: "audit <store> {"},
	{name: "mode misspelt", options: "mode enfore", at: "mode", cure: "did you mean enforce"},
	{name: "duration without a unit", options: "upstream_timeout 30", at: "upstream_timeout", cure: "2m"},
	{name: "CUIT that is too short", options: "cuits 2011111111", at: "cuits", cure: "eleven digits"},
	{name: "CUIT with a wrong check digit", options: "cuits 20111111113", at: "cuits", cure: "look for the mistyped digit"},
	{name: "negative tolerance", options: "absolute_tolerance -1", at: "absolute_tolerance", cure: "0.01"},
	{name: "unknown environment", options: "wsaa homologacion {\n}", at: "wsaa", cure: "did you mean homo"},
	{name: "unknown store", options: "audit sqllite x.db", at: "audit", cure: "sqlite"},
	{name: "unknown rule", options: "rule 99999 off", at: "rule", cure: "wsfev1 rules lists the codes"},
	{name: "level misspelt", options: "rule 10048 obsrve", at: "rule", cure: "did you mean observe"},
	{name: "variable that is not set", options: "mode {$FIELATO_NOT_SET}", at: "mode", cure: "set it"},
	{name: "variable set to nothing", options: "mode {$FIELATO_EMPTY}", at: "mode", cure: "give it a value"},
	{name: "option twice", options: "mode observe\nmode enforce", at: "mode enforce", cure: "keep one"},
	{name: "size that is none", options: "max_body big", at: "max_body", cure: "4MiB"},
	{name: "unknown family", options: "deadline isuing 30s", at: "deadline", cure: "issuing"},
	{name: "interval without a unit", audit: "checkpoint_to x.txt 60", at: "checkpoint_to", cure: "such as 1m"},
	{name: "retention with a unit", audit: "retention 12y", at: "retention", cure: "years"},
	{name: "part of an option's name", options: "tolerance 0.01", at: "tolerance", cure: "did you mean absolute_tolerance"},
	{name: "no certificate", options: "wsaa homo {\ncuits 20111111112\n}", at: "wsaa", cure: "name the file of the certificate"},
	{name: "no cuits", options: "wsaa homo {\ncertificate erp.crt\n}", at: "wsaa", cure: "name the CUITs"},
	{name: "passphrase in the text", options: "wsaa homo {\ncertificate erp.crt\npassphrase geheim\ncuits 20111111112\n}", at: "wsaa", cure: "give {env.NAME}"},
	{name: "one CUIT, two certificates", options: keptBlock + "\n" + "wsaa homo {\ncertificate erp.crt\ncuits 20111111112\n}", prepare: certified(100), at: "wsaa homo", cure: "name it with one of them"},
	{name: "pattern with cuits", options: "wsaa homo {\ncertificate *.crt\ncuits 20111111112\n}", at: "wsaa homo", cure: "cuits: leave them out"},
	{name: "pattern and another key", options: "wsaa homo {\ncertificate */arca.crt\nkey */*.key\n}", at: "wsaa homo", cure: "write as many"},
	{name: "pattern without an end", options: "wsaa homo {\ncertificate [0-9.crt\n}", at: "wsaa homo", cure: "write [0-9]"},
	{name: "unknown directive", front: "basic_aut {\n}", at: "basic_aut {", cure: "did you mean basic_auth"},
	{name: "brace that is missing", site: "http://127.0.0.1:PORT {\nwsfev1 {\n", at: "wsfev1 {", cure: "a { without its }"},
	{name: "brace too many", service: "reverse_proxy 127.0.0.1:9\n}", place: "'}'", cure: "a } without its {"},
	{name: "no space before the brace", site: "http://127.0.0.1:PORT {\nwsfev1{\naudit sqlite audit.db\n}\nreverse_proxy 127.0.0.1:9\n}\n", at: "reverse_proxy", cure: "a { without a space"},
	{name: "block that ends too late", site: "http://127.0.0.1:PORT {\nwsfev1 {\naudit sqlite audit.db\nreverse_proxy 127.0.0.1:9\n}\n}\n", at: "reverse_proxy", cure: "after the } of this block"},
	{name: "too many arguments", options: "mode observe enforce", at: "mode", cure: "write mode enforce|observe"},
	{name: "path with a space", options: "audit sqlite /my folder/audit.db", at: "audit", cure: "stands between quotes"},
	{name: "option of another store", audit: "node a", at: "node", cure: "audit postgres <dsn> {"},
	{name: "option of the transport", options: "dial_timeout 3s", at: "dial_timeout", cure: "transport http {"},
	{name: "global option", options: "grace_period 3m", at: "grace_period", cure: "write it in the global options"},
	{name: "site of an unset variable", site: "{$FIELATO_NOT_SET} {\nwsfev1 {\naudit sqlite audit.db\n}\nreverse_proxy 127.0.0.1:9\n}\n", place: "server block without any key", cure: "set it where the gateway starts"},
	{name: "home folder", options: "audit sqlite ~/audit.db", cure: "{env.HOME}/audit.db"},
	{name: "unknown service", service: "wsfev1_arca homologacion", at: "wsfev1_arca", cure: "homo"},
	// What stands around the gateway.
	{name: "nothing behind", service: "none", cure: "put reverse_proxy"},
	{name: "two services", service: "reverse_proxy 127.0.0.1:9\nroute {\nwsfev1_backend\n}", cure: "keep one of them"},
	{name: "two gateways in a row", front: "wsfev1 {\naudit sqlite audit.db\n}", cure: "keep one of the two"},
	{name: "answer in place of the service", service: "respond ok\nreverse_proxy 127.0.0.1:9", cure: "give it a matcher"},
	{name: "ledger in the trail's file", service: "wsfev1_backend {\nledger sqlite ./audit.db\n}", cure: "a file of its own"},
	{name: "its own service", service: "reverse_proxy 127.0.0.1:PORT", cure: "give the address of the service"},
	{name: "upstream of an unset variable", service: "reverse_proxy {$ARCA_URL}", cure: "give the address of the service"},
	{name: "plain password", front: "basic_auth {\nana hunter2222\n}", cure: "hash-password"},
	{name: "plain password, no base64", front: "basic_auth {\nana secreta!\n}", cure: "hash-password"},
	{name: "password of an unset variable", front: "basic_auth {\nana {env.FIELATO_TEST_NONE}\n}", cure: "the variable FIELATO_TEST_NONE is not set"},
	{name: "password of an empty variable", front: "basic_auth {\nana {env.FIELATO_EMPTY}\n}", cure: "give it a value"},
	{name: "open console", site: "http://:PORT {\nwsfev1_console\nwsfev1 {\naudit sqlite audit.db\n}\nreverse_proxy 127.0.0.1:9\n}\n", at: "wsfev1_console", cure: "put basic_auth"},
	{name: "login for testing, service of production", options: "wsaa homo {\ncertificate erp.crt\ncuits 20111111112\n}", service: "wsfev1_arca prod", cure: "use the same environment"},
	{name: "two services on one trail", site: "http://127.0.0.1:PORT {\nbind 127.0.0.1\nroute /a/* {\nwsfev1 {\naudit sqlite audit.db\n}\nwsfev1_backend\n}\nroute /b/* {\nwsfev1 { # the second\naudit sqlite audit.db\n}\nwsfev1_arca prod\n}\n}\n", cure: "give each its own trail"},
	{name: "address of the WSDL", options: "public_url facturas.example.com", at: "public_url", cure: "https://facturas.example.com"},
	{name: "path without a slash", options: "openapi openapi.json", cure: "/openapi.json"},
	// Mistakes in the files and on the machine.
	{name: "store below a file", options: "audit sqlite file/audit.db", prepare: file("file", "", 0o600), cure: "another path"},
	{name: "store that is a folder", options: "audit sqlite folder", prepare: folder("folder"), cure: "give the path of a trail"},
	{name: "store that is no database", options: "audit sqlite text.db", prepare: file("text.db", "this is a text and no database at all, and longer than that", 0o600), cure: "give the path of a trail"},
	{name: "signing key that others can read", audit: "key log.key", prepare: file("log.key", "x", 0o644), cure: "chmod 600"},
	{name: "signing key that is a folder", audit: "key folder", prepare: folder("folder"), cure: "give the file that holds"},
	{name: "signing key that is none", audit: "key log.key", prepare: file("log.key", "x", 0o600), cure: "give the one that the log began with"},
	{name: "signing key of a variable", audit: "key {env.FIELATO_NOT_SET}", cure: "set it where the gateway runs"},
	{name: "encryption key that is missing", audit: "encryption_key content.key", cure: "audit new-key"},
	{name: "checkpoint below a file", audit: "checkpoint_to file/checkpoint.txt", prepare: file("file", "", 0o600), cure: "another path"},
	{name: "database that is not reached", options: "audit postgres postgres://fielato@127.0.0.1:9/fielato", cure: "start PostgreSQL"},
	{name: "DSN that is none", options: "audit postgres postgres://fielato@:x/fielato", cure: "postgres://"},
	{name: "certificate of the authority", options: "ticket check nowhere.crt", cure: "give its file in PEM"},
	{name: "checkpoint in a folder that is missing", audit: "checkpoint_to nowhere/checkpoint.txt", cure: "create the folder or mount it"},
	{name: "key of the login service", front: "wsfev1_wsaa {\nkey file/wsaa.key\n}", prepare: file("file", "", 0o600), at: "wsfev1_wsaa", cure: "another path"},
	{name: "port of another program", prepare: listening, place: "127.0.0.1:PORT", cure: "nd it, or"},
	{name: "address of another machine", site: "http://127.0.0.1:PORT {\nbind 192.0.2.7\nwsfev1 {\naudit sqlite audit.db\n}\nreverse_proxy 127.0.0.1:9\n}\n", place: "192.0.2.7:PORT", cure: "correct bind, default_bind or admin"},
	{name: "clients that are missing", options: "clients customers", cure: "correct the path"},
	{name: "root certificates that are missing", audit: "timestamp https://tsa.example.com roots.pem", cure: "correct the path"},
	{name: "table that is missing", options: "fill CondicionIVAReceptorId from table nowhere.csv", cure: "nowhere.csv"},
	{name: "register that is missing", service: "wsfev1_backend {\nregister nowhere.json\n}", at: "wsfev1_backend", cure: "nowhere.json"},
	{name: "ledger below a file", service: "wsfev1_backend {\nledger sqlite file/ledger.db\n}", prepare: file("file", "", 0o600), at: "wsfev1_backend", cure: "another path"},
	// Mistakes that are served, with a warning.
	{name: "matcher of the gateway alone", served: true, site: "http://127.0.0.1:PORT {\nbind 127.0.0.1\nwsfev1 /api/* {\naudit sqlite audit.db\n}\nreverse_proxy 127.0.0.1:9\n}\n", at: "wsfev1 /api", cure: "leave the matcher of wsfev1 out"},
	{name: "no last handle", served: true, site: "http://127.0.0.1:PORT {\nbind 127.0.0.1\nhandle /api/* {\nwsfev1 {\naudit sqlite audit.db\n}\nreverse_proxy 127.0.0.1:9\n}\n}\n", cure: "put a last handle"},
	{name: "short grace_period", served: true, global: "grace_period 10s", cure: "longer grace_period"},
	{name: "grace_period shorter than a deadline", served: true, global: "grace_period 3m", options: "deadline issuing 4m", cure: "longer grace_period"},
	{name: "short response_header_timeout", served: true, service: "reverse_proxy 127.0.0.1:9 {\ntransport http {\nresponse_header_timeout 5s\n}\n}", cure: "response_header_timeout 65s"},
	{name: "short upstream_timeout", served: true, options: "upstream_timeout 5s", cure: "write upstream_timeout 2m"},
	{name: "short deadline", served: true, options: "deadline issuing 5s", cure: "write deadline issuing 2m"},
	{name: "password asked too late", served: true, service: "handle {\nbasic_auth {\nana " + hashed + "\n}\nreverse_proxy 127.0.0.1:9\n}", cure: "put basic_auth in front of wsfev1"},
	{name: "answer in place of the gateway", served: true, front: "redir https://example.com{uri}", cure: "give it a matcher"},
	{name: "retries", served: true, service: "reverse_proxy 127.0.0.1:9 {\nlb_retries 2\n}", cure: "remove lb_retries"},
	{name: "retries for some time", served: true, service: "reverse_proxy 127.0.0.1:9 {\nlb_try_duration 5s\n}", cure: "remove lb_retries"},
	{name: "certificate that has expired", served: true, options: keptBlock, prepare: certified(-2), at: "wsaa", cure: "request a new one"},
	{name: "certificate that is missing", served: true, options: keptBlock, at: "wsaa", cure: "erp.crt"},
	{name: "pattern of no file", served: true, options: "wsaa http://127.0.0.1:9 {\ncertificate customers/*/arca.crt\n}", at: "wsaa", cure: "reload"},
	{name: "certificate and key swapped", served: true, options: "wsaa http://127.0.0.1:9 {\ncertificate erp.key\nkey erp.crt\ncuits 20111111112\n}", prepare: certified(100), at: "wsaa", cure: "give the certificate"},
}
