package grafana_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gateway is a process with several sites, each with a trail of its own, that together
// can be brought to every outcome.
type gateway struct {
	t      *testing.T
	folder string
	binary string
	// metrics is where its metrics are, host and port.
	metrics string
	// The hosts of the sites: judging checks, observing only writes down, narrow has room
	// for one query and keeps an access ticket, cutOff has nothing behind it, locked has a
	// trail that the test locks, and shared has clients.
	judging, observing, narrow, cutOff, locked, shared string
}

// sites is the configuration of the gateway. Its faults strike issuers that the traffic has.
const sites = `{
	admin off
	persist_config off
	grace_period 5s
	metrics
}
http://METRICS {
	bind 127.0.0.1
	metrics /metrics
}
http://JUDGING {
	bind 127.0.0.1
	wsfev1 {
		audit sqlite FOLDER/judging.db {
			checkpoint_to FOLDER/judging.checkpoint 1s
			witness testigo.example/w1+b99f49ea+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs http://127.0.0.1:9 1s
			timestamp http://127.0.0.1:9 FOLDER/erp.crt 1s
		}
		recover within 2s
		breaker off
	}
	wsfev1_backend {
		ledger sqlite FOLDER/judging-ledger.db
		fault drop {
			operation FECAESolicitar
			cuit RECOVERED
		}
		fault drop {
			operation FECAESolicitar
			cuit NOT_ISSUED
			commit no
		}
		fault drop {
			cuit UNKNOWN
		}
		fault html_502 {
			operation FECompUltimoAutorizado
			cuit FAILING
		}
		fault delay {
			operation FECompUltimoAutorizado
			cuit SLOW
			delay fixed 2s
		}
		fault delay {
			operation FECAESolicitar
			cuit SLOW
			delay fixed 3s
		}
	}
}
http://OBSERVING {
	bind 127.0.0.1
	wsfev1 {
		audit sqlite FOLDER/observing.db
		mode observe
		absolute_tolerance 5
		breaker off
	}
	wsfev1_backend {
		ledger sqlite FOLDER/observing-ledger.db
		rule 10048 off
	}
}
http://NARROW {
	bind 127.0.0.1
	wsfev1 {
		audit sqlite FOLDER/narrow.db
		in_flight queries 1 wait 10ms
		wsaa LOGIN {
			certificate FOLDER/erp.crt
			key FOLDER/erp.key
			cuits PLAIN
		}
	}
	wsfev1_backend {
		ledger sqlite FOLDER/narrow-ledger.db
	}
}
http://CUT_OFF {
	bind 127.0.0.1
	wsfev1 {
		audit sqlite FOLDER/cut-off.db
		breaker 2 rest 10m
	}
	reverse_proxy NOWHERE
}
http://LOCKED {
	bind 127.0.0.1
	wsfev1 {
		audit sqlite FOLDER/locked.db
	}
	wsfev1_backend {
		ledger sqlite FOLDER/locked-ledger.db
	}
}
http://SHARED {
	bind 127.0.0.1
	basic_auth {
		shop USER_HASH
		erp USER_HASH
		mallory USER_HASH
	}
	wsfev1 {
		audit sqlite FOLDER/shared.db
		in_flight wait 1s
		client shop {
			user shop
			cuits *
			may issue
			share 1
		}
		client erp {
			user erp
			cuits *
			may *
			rate 1/h burst 1
		}
	}
	wsfev1_backend {
		ledger sqlite FOLDER/shared-ledger.db
	}
}
`

func startGateway(t *testing.T) *gateway {
	t.Helper()
	free := freeAddresses(t, 8)
	g := &gateway{
		t: t, folder: t.TempDir(), binary: build(t), metrics: free[0],
		judging: free[1], observing: free[2], narrow: free[3], cutOff: free[4], locked: free[5], shared: free[7],
	}
	text := strings.NewReplacer(
		"METRICS", g.metrics, "JUDGING", g.judging, "OBSERVING", g.observing, "NARROW", g.narrow,
		"CUT_OFF", g.cutOff, "LOCKED", g.locked, "SHARED", g.shared, "USER_HASH", userHash, "NOWHERE", free[6], "FOLDER", g.folder,
		"RECOVERED", issuerRecovered, "NOT_ISSUED", issuerNotIssued, "UNKNOWN", issuerUnknown,
		"FAILING", issuerFailing, "SLOW", issuerSlow, "PLAIN", issuerPlain, "LOGIN", startLogin(t, g.folder),
	).Replace(sites)
	config := filepath.Join(g.folder, "Caddyfile")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	launch(t, "http://"+g.metrics+"/metrics", g.binary, "run", "--config", config, "--adapter", "caddyfile")
	return g
}
