package trail

import (
	"context"

	"github.com/fielato/fielato/audit"
)

// StoreOpener is what a module in the namespace http.handlers.wsfev1.stores
// implements. It opens, and holds nothing: whoever opens a store owns it.
type StoreOpener interface {
	// Key says all that defines the store, so that two configurations which mean
	// the same store share it. It is written to no log.
	Key() string
	// Address names the store for people, without credentials.
	Address() string
	// LogName is the log that this gateway writes, where a store holds those of several;
	// no text where it holds one log, whose name stays with it.
	LogName() string
	// KeyFile is where the private key of the store's log is kept if the
	// configuration says nothing, made at first start; no text if it must say.
	KeyFile() string
	// OpenStore opens the store for writing. With a key content is encrypted at rest,
	// without one (nil) it is not.
	OpenStore(ctx context.Context, content *audit.ContentKey) (audit.Store, error)
}

// FileOpener is a StoreOpener whose store is a file.
type FileOpener interface {
	// Folder is where the file is: the space that is left there is watched.
	Folder() string
}
