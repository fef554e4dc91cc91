//go:build !linux

package main

import "time"

func sleepPrecisely(d time.Duration) { time.Sleep(d) }
