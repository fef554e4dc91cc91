package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/cosigned"
	"github.com/fielato/fielato/caddymodule/internal/timestamped"
)

// expiresSoon is how long before the end of a root certificate it is said.
const expiresSoon = 30 * 24 * time.Hour

// outsideResults look at the parties outside the site that sign the checkpoints of a trail. None signs anything for it.
func outsideResults(ctx context.Context, g gateway, opened openedTrail) []result {
	return append(witnessResults(ctx, g, opened), timestampResults(ctx, g)...)
}

// unresolved says why options cannot be used. The gateway's user may read what this one may not.
func unresolved(check string, err error) result {
	if errors.Is(err, fs.ErrPermission) {
		return warn(check, "run doctor as the gateway's user", "%v", err)
	}
	return bad(check, "mend what it names; the gateway does not start", "%v", err)
}

// witnessResults ask the witnesses whether they know the log.
func witnessResults(ctx context.Context, g gateway, opened openedTrail) (results []result) {
	policy, err := cosigned.Settings{Witnesses: g.Trail.Witnesses, Quorum: g.Trail.Quorum, File: g.Trail.WitnessPolicy, Require: g.Trail.RequireWitnesses}.Resolve()
	if err != nil {
		return []result{unresolved("witnesses", err)}
	}
	if policy == nil {
		return nil
	}
	if opened.verifier != "" {
		if err := policy.For(opened.verifier); err != nil {
			return []result{bad("witnesses", "add the log's line to the policy; the gateway does not start", "%v", err)}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	looks, quorum := policy.Look(ctx, opened.checkpoint, opened.verifier)
	able := 0
	for _, l := range looks {
		r := witnessResult(l, opened)
		if results = append(results, r); l.Standing == cosigned.Knows || l.Standing == cosigned.Reached {
			able++
		}
	}
	const check, cure = "quorum", "mend the witnesses above, or ask for fewer with quorum or the policy"
	switch {
	case quorum:
		return append(results, ok(check, "%d of %d witnesses can sign, which is enough", able, len(looks)))
	case policy.Required():
		return append(results, bad(check, cure, "%d of %d witnesses can sign, too few: the gateway does not start (require_witnesses)", able, len(looks)))
	}
	return append(results, warn(check, cure, "%d of %d witnesses can sign, too few: no checkpoint is cosigned", able, len(looks)))
}

// witnessResult says how a witness stands to the log of a trail.
func witnessResult(l cosigned.Look, opened openedTrail) result {
	const check = "witness"
	at, entry := l.Name+" at "+l.Address, cosigned.EntryOf(opened.checkpoint, opened.verifier)
	switch l.Standing {
	case cosigned.Knows:
		return ok(check, "%s knows the log", at)
	case cosigned.Reached:
		if len(opened.checkpoint) == 0 {
			return ok(check, "%s answers; whether it knows the log shows once the trail has a checkpoint", at)
		}
		return warn(check, "ask its operator whether it has the log's key "+entry, "%s does not tell whether it knows the log: %s", at, l.Said)
	case cosigned.Unknown:
		return warn(check, "give its operator the log's key "+entry+", or correct the URL", "%s does not know the log: %s", at, l.Said)
	case cosigned.OtherKey:
		return warn(check, "give its operator the log's key "+entry, "%s knows the log by another key: %s", at, l.Said)
	case cosigned.Foreign:
		return warn(check, "correct the URL: what answers there is no witness", "%s: %s", at, l.Said)
	}
	return warn(check, "look at the URL, at a firewall between, and whether the witness is at work", "%s is not reached: %s", at, l.Said)
}

// timestampResults look at the root certificates, and ask whether the authority takes queries.
func timestampResults(ctx context.Context, g gateway) []result {
	const check = "time-stamps"
	authority, err := g.Trail.Timestamp.Resolve()
	if err != nil {
		return []result{unresolved(check, err)}
	}
	if authority == nil {
		return nil
	}
	results := []result{rootsResult(authority, time.Now())}
	if err := authority.Look(ctx); err != nil {
		return append(results, warn(check, "look at the URL, at a firewall between, and whether the authority is at work", "%s: %v", authority.Address(), err))
	}
	return append(results, ok(check, "%s takes queries", authority.Address()))
}

// rootsResult looks at the days of the root certificates. Stamps verify as long as one of them lasts, if it is theirs.
func rootsResult(a *timestamped.Authority, now time.Time) result {
	const check, cure = "time-stamp roots", "get the authority's new root, and add it to the PEM file of timestamp"
	roots := slices.Clone(a.Roots())
	slices.SortFunc(roots, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) })
	first := roots[0]
	name, day := first.Subject.String(), first.NotAfter.UTC().Format(time.DateOnly)
	switch left := first.NotAfter.Sub(now); {
	case left <= 0:
		return warn(check, cure, "expired on %s: %s; its stamps do not verify", day, name)
	case left < expiresSoon:
		return warn(check, cure, "expires on %s: %s", day, name)
	}
	return ok(check, "%d readable, the first expires on %s", len(roots), day)
}
