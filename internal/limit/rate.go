package limit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// Rate is how many requests a client may send in which time. The zero value is no rate.
type Rate struct {
	requests int64
	unit     byte // 's', 'm' or 'h'
}

// maxRequests bounds the number in a rate.
const maxRequests = 1_000_000

// units are the times of a rate.
var units = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour}

// ParseRate reads a number of requests from 1 to 1,000,000 and a second, minute or hour, such as 10/s,
// 600/m or 36000/h. The three let the same requests pass.
func ParseRate(text string) (Rate, error) {
	number, unit, found := strings.Cut(text, "/")
	if !found || len(unit) != 1 || units[unit[0]] == 0 {
		return Rate{}, fmt.Errorf("rate %q: write how many requests in which time, such as 10/s or 600/m", text)
	}
	requests, err := strconv.ParseUint(number, 10, 63)
	if err != nil || requests == 0 || requests > maxRequests {
		return Rate{}, fmt.Errorf("rate %q: give a whole number of requests from 1 to %d, such as 10/s or 600/m", text, maxRequests)
	}
	return Rate{requests: int64(requests), unit: unit[0]}, nil
}

// String returns the text that ParseRate reads as this rate, "" for the zero value.
func (r Rate) String() string {
	if r.requests == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%c", r.requests, r.unit)
}

// InASecond returns how many requests may come in a second, at least 1.
func (r Rate) InASecond() int {
	if r.requests == 0 {
		return 1
	}
	return max(1, int(float64(r.requests)/units[r.unit].Seconds()))
}

// Bucket bounds the rate of a client's requests. It is full of tokens at first, as many as its burst. A
// request takes one, and they come back at the rate. A nil Bucket bounds nothing.
type Bucket struct{ tokens *rate.Limiter }

// NewBucket returns a full bucket, nil for the zero Rate. A burst below 1 counts as 1: with less no
// request could ever pass.
func NewBucket(r Rate, burst int) *Bucket {
	if r.requests == 0 {
		return nil
	}
	bySecond := rate.Limit(float64(r.requests) / units[r.unit].Seconds())
	return &Bucket{tokens: rate.NewLimiter(bySecond, max(burst, 1))}
}

// Take takes a token for a request that arrives now. If there is none, wait is how long it takes until one
// is there, unless another request takes it first. It is more than 0 then.
func (b *Bucket) Take(now time.Time) (wait time.Duration, ok bool) {
	if b == nil || b.tokens.AllowN(now, 1) {
		return 0, true
	}
	missing := 1 - b.tokens.TokensAt(now)
	return max(1, time.Duration(math.Ceil(missing/float64(b.tokens.Limit())*float64(time.Second)))), false
}
