package simulator_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// roundTime is how long one service is under load before the other one is.
const roundTime = 200 * time.Millisecond

// issuingLoad is what a client process does to services.
type issuingLoad struct {
	// Connections share Series, Lot invoices in each request.
	Connections, Series, Lot int
	// Race lets all connections ask for the last number and send the next one, where
	// they take turns otherwise.
	Race      bool
	Addresses []string
}

// issuingFigures are the figures of one service in one round: approved invoices, and how many of
// them in a second; milliseconds of an issuing request; requests refused because another client
// had taken the number, for each approved one.
type issuingFigures struct{ Issued, Rate, P50, P99, Refused float64 }

// issuerLoad names the environment variable with the load of a client process.
const issuerLoad = "FIELATO_TEST_LOAD"

func init() { caddytest.Roles["issuer"] = playIssuer }

// playIssuer is the life of a client process: for each line on its standard input it
// puts every service under load for one round, and prints the figures of each.
func playIssuer() {
	var load issuingLoad
	if err := json.Unmarshal([]byte(os.Getenv(issuerLoad)), &load); err != nil {
		panic(err)
	}
	var lanes []*issuingLane
	for _, address := range load.Addresses {
		lanes = append(lanes, newIssuingLane(&load, address))
	}
	lines := bufio.NewScanner(os.Stdin)
	for round := 0; lines.Scan(); round++ {
		figures := make([]issuingFigures, len(lanes))
		for i := range lanes {
			turn := (i + round) % len(lanes) // neither is always the first
			figures[turn] = lanes[turn].round()
		}
		printed, err := json.Marshal(figures)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(printed))
	}
}

// issuingLane is the way from the client to one service.
type issuingLane struct {
	load        *issuingLoad
	connections []*issuingConnection
	// turns hold each series' next number: a connection takes it, sends it, and
	// hands on the one after it when it was answered. The one that waits longest is next.
	turns []chan int64
}

type issuingConnection struct {
	net.Conn
	reader           *bufio.Reader
	latencies        []time.Duration
	issued, refusals int
}

func newIssuingLane(load *issuingLoad, address string) *issuingLane {
	lane := &issuingLane{load: load}
	for range load.Connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			panic(err)
		}
		lane.connections = append(lane.connections, &issuingConnection{Conn: conn, reader: bufio.NewReader(conn)})
	}
	for series := range load.Series {
		turn := make(chan int64, 1)
		turn <- lane.connections[0].last(series) + 1
		lane.turns = append(lane.turns, turn)
	}
	return lane
}

// round keeps the connections busy. Each goes through the series from one of its own.
func (l *issuingLane) round() issuingFigures {
	began := time.Now()
	var wait sync.WaitGroup
	for w, c := range l.connections {
		c.latencies, c.issued, c.refusals = c.latencies[:0], 0, 0
		wait.Go(func() {
			for series := w % l.load.Series; time.Since(began) < roundTime; {
				if l.load.Race {
					c.issue(series, c.last(series)+1, l.load.Lot)
				} else {
					next := <-l.turns[series]
					l.turns[series] <- next + int64(c.issue(series, next, l.load.Lot))
				}
				series = (series + l.load.Connections) % l.load.Series
			}
		})
	}
	wait.Wait()
	took := time.Since(began)
	var all []time.Duration
	issued, refusals := 0, 0
	for _, c := range l.connections {
		all = append(all, c.latencies...)
		issued, refusals = issued+c.issued, refusals+c.refusals
	}
	slices.Sort(all)
	return issuingFigures{
		Issued: float64(issued), Rate: float64(issued) / took.Seconds(), Refused: float64(refusals*l.load.Lot) / float64(max(issued, 1)),
		P50: caddytest.Milliseconds(all[len(all)/2]), P99: caddytest.Milliseconds(all[len(all)*99/100]),
	}
}

// issue sends one lot and returns how many invoices were approved: all or none.
func (c *issuingConnection) issue(series int, first int64, lot int) int {
	body := caddytest.LotText(series, first, lot)
	sent := time.Now()
	answer := c.ask("FECAESolicitar", body)
	c.latencies = append(c.latencies, time.Since(sent))
	head, _, _ := bytes.Cut(answer, []byte(`"FeDetResp"`))
	if bytes.Contains(head, []byte(`"Resultado":"A"`)) {
		c.issued += lot
		return lot
	}
	if !bytes.Contains(answer, []byte(`"Code":10016`)) {
		panic(string(answer))
	}
	c.refusals++
	return 0
}

func (c *issuingConnection) last(series int) int64 {
	var answer wsfev1.FECompUltimoAutorizadoAnswer
	if err := json.Unmarshal(c.ask("FECompUltimoAutorizado", caddytest.LastText(series)), &answer); err != nil {
		panic(err)
	}
	return answer.CbteNro
}

func (c *issuingConnection) ask(operation, body string) []byte {
	status, answer, err := caddytest.ExchangeRaw(c, c.reader, operation, body)
	if err != nil || !strings.HasPrefix(status, "HTTP/1.1 200") {
		panic(fmt.Sprintf("%s: %s %s %v", operation, status, answer, err))
	}
	return answer
}
