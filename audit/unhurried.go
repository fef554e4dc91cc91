package audit

import "context"

type restKey struct{}

// Unhurried returns a context for reads that can wait. A store calls rest between two pieces of its work,
// when it holds nothing that others wait for.
func Unhurried(ctx context.Context, rest func()) context.Context {
	return context.WithValue(ctx, restKey{}, rest)
}

// Rest calls the rest function of a context of Unhurried. For other contexts it does nothing.
func Rest(ctx context.Context) {
	if rest, ok := ctx.Value(restKey{}).(func()); ok {
		rest()
	}
}
