package caddymodule

// TrailOptions say how a trail is kept. Handlers that share a store must agree on them.
type TrailOptions struct {
	// Key is where the private key is that signs the trail's checkpoints: a file,
	// which is made at first start (0600), or a placeholder such as `{env.NAME}` or
	// `{file.PATH}` that stands for the key itself. Default: beside the store's
	// database, with `.key` after its name.
	Key string `json:"key,omitempty"`

	// LogReads says that whoever reads the trail by a command is written down in it:
	// when, as which user, on which host, and what was asked for. Default: false.
	LogReads bool `json:"log_reads,omitempty"`

	keys keySource
}

// provision resolves what stands for a secret, and sets the defaults.
func (o *TrailOptions) provision(opener StoreOpener) (err error) {
	o.keys, err = newKeySource(o.Key, opener.KeyFile())
	return err
}
