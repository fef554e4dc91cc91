package trail

import (
	"context"

	"github.com/fielato/fielato/audit"
)

// StoreOpener is implemented by the modules in the namespace http.handlers.wsfev1.stores. It
// opens stores and holds none: the caller owns what it opens.
type StoreOpener interface {
	// Key identifies the store: configurations that mean the same store share it by this key. It
	// is written to no log.
	Key() string
	// Address names the store for people, without credentials.
	Address() string
	// LogName returns the name of the log that this gateway writes, where a store holds the logs
	// of several gateways. It is empty if a store holds one log, whose name stays with it.
	LogName() string
	// KeyFile returns the default file of the log's private key, made at first start. It is
	// empty if the configuration must name one.
	KeyFile() string
	// OpenStore opens the store for writing. Content is encrypted at rest with the key, if that
	// is not nil.
	OpenStore(ctx context.Context, content *audit.ContentKey) (audit.Store, error)
}

// FileOpener is a StoreOpener whose store is a file.
type FileOpener interface {
	// File returns the path of the file. The free space of its folder is watched.
	File() string
}
