package trail

import "github.com/fielato/fielato/audit"

// contentKeyID returns the ID of a key, empty for none.
func contentKeyID(key *audit.ContentKey) string {
	if key == nil {
		return ""
	}
	return key.ID()
}

// Secret returns a secret of the trail's, from which other keys may be derived: the key that encrypts
// content if there is one, which gateways that share a store have in common; otherwise the key that
// signs, which the trail has made if it is open. If an ssh-agent has that, it is a file in its place.
func (o *Options) Secret() ([]byte, error) {
	if o.content != nil {
		return []byte(o.content.Private()), nil
	}
	return o.keys.Secret()
}

// Encrypts reports whether content is encrypted at rest.
func (o *Options) Encrypts() bool { return o.content != nil }
