package timestamped

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"slices"

	"github.com/fielato/fielato/internal/timestamp"
)

// refusing are the statuses with which authorities refuse a query that cannot be read.
var refusing = []int{http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusInternalServerError}

// Address is the URL of the authority without all that may be secret.
func (a *Authority) Address() string { return a.address() }

// Roots are the certificates to which the authority's must lead.
func (a *Authority) Roots() []*x509.Certificate { return a.roots }

// Look sends the authority a query with nothing in it, for which it can give no stamp. The error says why it is not
// reached, or that what answers takes no queries. A refusal is the answer of an authority at work.
func (a *Authority) Look(ctx context.Context) error {
	reply, err := a.send(ctx, nil)
	if f, failed := errors.AsType[*failure](err); failed && slices.Contains(refusing, f.status) {
		return nil
	}
	if err == nil {
		_, err = a.trusted.Open(reply, nil)
	}
	if _, refused := errors.AsType[*timestamp.RefusalError](err); refused {
		return nil
	}
	return err
}
