package keeper

import "time"

// The pauses after a store could not be asked.
const (
	shortestStorePause = time.Second
	longestStorePause  = 30 * time.Second
)

// storeFailed notes that the store could not be asked. Nothing is asked of the login service without
// it: another node may be about to.
func (k *Keeper) storeFailed(err error) time.Duration {
	if k.hard.Err() != nil {
		return 0 // Close did not wait for it
	}
	k.storeFailures++
	k.observe(Event{Kind: StoreFailed, Code: CodeStore, Err: err})
	pause := k.storePause()
	if k.untilNext() <= 0 {
		k.fail(CodeStore, err, pause)
	}
	return pause
}

func (k *Keeper) storePause() time.Duration {
	return k.spread(doubled(shortestStorePause, k.storeFailures, longestStorePause))
}

// forgetStoreFailure ends the failure of a store that answers again.
func (k *Keeper) forgetStoreFailure() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failure != nil && k.failure.Code == CodeStore {
		k.failure = nil
		k.tell()
	}
}
