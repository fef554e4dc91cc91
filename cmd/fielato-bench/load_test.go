package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipedLoad is a load of one-invoice requests over pipes, by the clock of the bubble. how
// returns how long the n-th request takes and its answer, empty for an approval.
func pipedLoad(t *testing.T, connections int, how func(n int64) (time.Duration, string)) *load {
	t.Helper()
	var requests atomic.Int64
	serve := func(conn net.Conn) {
		defer conn.Close()
		reader := bufio.NewReader(conn)
		for {
			request, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			body, _ := io.ReadAll(request.Body)
			takes, answer := how(requests.Add(1))
			time.Sleep(takes) // the bubble's clock: the time that the target takes
			if answer == "" {
				answer = string(approval(stubSeries{}, after(body, `"CbteDesde":`), 1))
			}
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
		}
	}
	l := newLoad(jsonForm, connections, 1, func() *connection {
		return &connection{host: "pipe", dial: func(context.Context) (net.Conn, error) {
			client, server := net.Pipe()
			go serve(server)
			return client, nil
		}}
	})
	l.sleep = time.Sleep
	return l
}

// TestOneStallIsFeltByAllWhoWait: a target answers in 1 ms, but stands still for 500 ms
// once. With 100 arrivals a second 50 requests were due in that time: the 99th percentile
// must see it. A client that sends only after an answer would have sent one request in that
// time, and reported a 99th percentile of 1 ms.
func TestOneStallIsFeltByAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipedLoad(t, 1, func(n int64) (time.Duration, string) {
			if n == 101 {
				return 500 * time.Millisecond, ""
			}
			return time.Millisecond, ""
		})
		defer l.close()
		open := l.offer(t.Context(), 100, 10*time.Second)
		if len(open.latencies) != 1000 || open.failed != 0 {
			t.Fatalf("%d answered, %d failed: %v", len(open.latencies), open.failed, open.first)
		}
		slices.Sort(open.latencies)
		if p50 := percentile(open.latencies, 50); p50 != time.Millisecond {
			t.Errorf("p50 %v, want 1ms", p50)
		}
		// The one that stalled took 500 ms; each after it was due 10 ms later and answered
		// 1 ms later, so that the eleventh slowest took 500 - 10 × 9 ms.
		if p99 := percentile(open.latencies, 99); p99 != 410*time.Millisecond {
			t.Errorf("p99 %v, want 410ms", p99)
		}
		if longest := open.latencies[len(open.latencies)-1]; longest != 500*time.Millisecond {
			t.Errorf("the slowest took %v", longest)
		}
	})
}

// TestWhoFindsNoConnectionWaits, and the wait counts: two requests arrive at a time, each
// takes 10 ms, and there is one connection, or there are two.
func TestWhoFindsNoConnectionWaits(t *testing.T) {
	for connections, want := range map[int]time.Duration{1: 10 * time.Millisecond * 50, 2: 10 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			l := pipedLoad(t, connections, func(int64) (time.Duration, string) { return 10 * time.Millisecond, "" })
			defer l.close()
			// Twice what one connection can do, and just what two can.
			open := l.offer(t.Context(), 200, 500*time.Millisecond)
			if len(open.latencies) != 100 {
				t.Fatalf("%d answered, %d failed: %v", len(open.latencies), open.failed, open.first)
			}
			longest := slices.Max(open.latencies)
			if longest < want || longest > want+10*time.Millisecond {
				t.Errorf("with %d connections the slowest took %v, want %v", connections, longest, want)
			}
		})
	}
}

// TestARateThatIsTooHighFails instead of taking for ever or leaving out the longest waits.
func TestARateThatIsTooHighFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipedLoad(t, 1, func(int64) (time.Duration, string) { return time.Second, "" })
		defer l.close()
		open := l.offer(t.Context(), 100, time.Second)
		if len(open.latencies)+open.failed != 100 || open.failed < 90 {
			t.Errorf("%d answered, %d failed", len(open.latencies), open.failed)
		}
		if open.first == nil || !strings.Contains(open.first.Error(), "more than the target can do") {
			t.Error(open.first)
		}
	})
}

func TestCapacityIsWhatTheConnectionsCanDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipedLoad(t, 4, func(int64) (time.Duration, string) { return 10 * time.Millisecond, "" })
		defer l.close()
		closed := l.saturate(t.Context(), time.Second)
		if len(closed.latencies) != 400 || closed.failed != 0 || closed.took != time.Second {
			t.Errorf("%d answered, %d failed in %v", len(closed.latencies), closed.failed, closed.took)
		}
	})
}

// TestAWrongAnswerFails, and is in no latency.
func TestAWrongAnswerFails(t *testing.T) {
	other := string(approval(stubSeries{}, 77, 1))
	for name, answer := range map[string]string{
		"refused":        `{"FeCabResp":{"Resultado":"R"}}`,
		"another number": other,
		"no CAE":         strings.Replace(string(approval(stubSeries{}, 1, 1)), `"CAE":"`, `"CAEA":"`, 1),
		"one too many":   string(approval(stubSeries{}, 1, 2)),
		"no JSON":        "ok",
	} {
		synctest.Test(t, func(t *testing.T) {
			l := pipedLoad(t, 1, func(n int64) (time.Duration, string) {
				if n == 3 {
					return 0, answer
				}
				return 0, ""
			})
			defer l.close()
			open := l.offer(t.Context(), 10, time.Second)
			if open.failed != 1 || len(open.latencies) != 9 {
				t.Errorf("%s: %d answered, %d failed: %v", name, len(open.latencies), open.failed, open.first)
			}
		})
	}
}

// TestNumbersAreConsecutive in each series, also after a failure: a service refuses others.
func TestNumbersAreConsecutive(t *testing.T) {
	w := &worker{series: []*series{newSeries(0), newSeries(1)}}
	server, client := net.Pipe()
	w.conn = &connection{host: "pipe", dial: func(context.Context) (net.Conn, error) { return client, nil }}
	defer w.conn.close()
	var seen []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		reader := bufio.NewReader(server)
		for range 6 {
			request, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			body, _ := io.ReadAll(request.Body)
			first := after(body, `"CbteDesde":`)
			seen = append(seen, fmt.Sprint(after(body, `"Cuit":`)-firstCuit, ":", first))
			answer := string(approval(stubSeries{}, first, 2))
			if len(seen) == 3 {
				answer = "no"
			}
			fmt.Fprintf(server, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
		}
	}()
	for i := range 6 {
		if err := w.issue(t.Context(), jsonForm, 2); (err != nil) != (i == 2) {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	<-done
	if want := []string{"0:1", "1:1", "0:3", "1:3", "0:3", "1:5"}; !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
}
