package main

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// machine is what all processors of this machine have done since it started. Zero means unknown on
// this system.
type machine struct {
	busy       time.Duration
	processors int
}

// tick is the unit of /proc/stat. It is the same on every architecture that Go supports.
const tick = 10 * time.Millisecond

// machineNow reads /proc/stat, on Linux.
func machineNow() machine {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machine{}
	}
	return parseMachine(stat)
}

// parseMachine adds up the time that the processors were not idle. Time that a hypervisor has given
// to others counts too: the target did not have it.
func parseMachine(stat []byte) (m machine) {
	for line := range bytes.Lines(stat) {
		fields := bytes.Fields(line)
		if len(fields) < 9 || len(fields[0]) < 4 || !bytes.HasPrefix(fields[0], []byte("cpu")) {
			continue // the first line is the sum
		}
		m.processors++
		for i, text := range fields[1:9] { // user, nice, system, idle, iowait, irq, softirq, steal
			if ticks, err := strconv.ParseInt(string(text), 10, 64); err == nil && i != 3 && i != 4 {
				m.busy += time.Duration(ticks) * tick
			}
		}
	}
	return m
}
