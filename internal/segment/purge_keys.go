package segment

import "context"

// destroyKeys destroys the data keys of earlier periods with which nothing is sealed any
// more. Segments from next on were not looked at, so they are now, in the transaction: a
// writer that comes after it finds that the key is gone.
func (r *purge) destroyKeys(ctx context.Context, next uint64) error {
	destroyed := 0
	err := r.store.Update(ctx, func(tx PurgeTx) error {
		destroyed = 0
		keys, err := tx.KeysFrom(ctx, next)
		if err != nil {
			return err
		}
		for _, key := range keys {
			r.live[key] = true
		}
		if keys, err = tx.KeysBefore(ctx, r.request.Before); err != nil {
			return err
		}
		for _, key := range keys {
			if r.live[key] {
				continue
			}
			destroyed++
			if r.request.DryRun {
				continue
			}
			if err := tx.DestroyKey(ctx, key); err != nil {
				return err
			}
		}
		return nil
	})
	r.result.Keys += destroyed
	return err
}
