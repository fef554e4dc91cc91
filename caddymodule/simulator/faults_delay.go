package simulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// maxDelay bounds every delay, whatever its law draws. No test waits longer for an answer.
const maxDelay = 10 * time.Minute

// maxSigma bounds the spread of a lognormal delay: beyond it one delay in a hundred
// is some thousands of times as long as the median.
const maxSigma = 4

const delayForms = "give fixed 2s, uniform 1s 5s or lognormal 1s 0.5"

// delayLaw draws delays; nil is no delay.
type delayLaw func(*rand.Rand) time.Duration

// parseDelay reads the law of a delay: a word and its one or two numbers.
func parseDelay(text string) (delayLaw, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("delay %q: %s", text, delayForms)
	}
	var law delayLaw
	var err error
	switch arguments := words[1:]; {
	case words[0] == "fixed" && len(arguments) == 1:
		law, err = fixedDelay(arguments[0])
	case words[0] == "uniform" && len(arguments) == 2:
		law, err = uniformDelay(arguments[0], arguments[1])
	case words[0] == "lognormal" && len(arguments) == 2:
		law, err = lognormalDelay(arguments[0], arguments[1])
	default:
		err = fmt.Errorf("%s", delayForms)
	}
	if err != nil {
		return nil, fmt.Errorf("delay %q: %w", text, err)
	}
	return law, nil
}

func fixedDelay(text string) (delayLaw, error) {
	d, err := delayDuration(text)
	return func(*rand.Rand) time.Duration { return d }, err
}

func uniformDelay(from, to string) (delayLaw, error) {
	shortest, err := delayDuration(from)
	if err != nil {
		return nil, err
	}
	longest, err := delayDuration(to)
	if err != nil {
		return nil, err
	}
	if longest < shortest {
		return nil, fmt.Errorf("%s is shorter than %s: give the shorter one first", to, from)
	}
	return func(r *rand.Rand) time.Duration {
		return shortest + time.Duration(r.Int64N(int64(longest-shortest)+1))
	}, nil
}

func lognormalDelay(median, spread string) (delayLaw, error) {
	middle, err := delayDuration(median)
	if err != nil {
		return nil, err
	}
	sigma, err := strconv.ParseFloat(spread, 64)
	if err != nil || !(sigma > 0 && sigma <= maxSigma) {
		return nil, fmt.Errorf("%q: give a sigma above 0 and up to %d, such as 0.5", spread, maxSigma)
	}
	return func(r *rand.Rand) time.Duration {
		// Compared as a float: the product may be more than a Duration can hold.
		drawn := float64(middle) * math.Exp(sigma*r.NormFloat64())
		return time.Duration(min(drawn, float64(maxDelay)))
	}, nil
}

func delayDuration(text string) (time.Duration, error) {
	d, err := caddy.ParseDuration(text)
	if err != nil || d <= 0 || d > maxDelay {
		return 0, fmt.Errorf("%q: give a duration of up to 10m, such as 2s", text)
	}
	return d, nil
}
