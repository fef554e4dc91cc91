package login

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/fielato/fielato/caddymodule/directive"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

const (
	trustOpen   = "open"
	defaultLife = 12 * time.Hour
	// maxLife bounds the life of a ticket to what a test can need.
	maxLife = 10 * 365 * 24 * time.Hour
	// maxRepresented is for how many CUITs a computer may act besides its own: a ticket with more
	// is not read.
	maxRepresented = 9999
)

// provisionOptions checks the options and gives them to the server.
func (s *Service) provisionOptions() (err error) {
	s.server.Life, s.server.Window = time.Duration(s.Life), time.Duration(s.Window)
	if s.Life == 0 {
		s.server.Life = defaultLife
	}
	if s.server.Services = s.Services; len(s.Services) == 0 {
		s.server.Services = []string{wsaa.TicketService}
	}
	s.server.Represented, s.server.Failure = s.Represents, s.Fail
	switch {
	case s.server.Life < time.Second || s.server.Life > maxLife:
		return fmt.Errorf("life %v: a ticket lives from 1s to 10 years, such as 12h", s.server.Life)
	case s.Window < 0:
		return errors.New("window is negative: give a duration such as 10m, or off")
	}
	if err := checkFailure(s.Fail); err != nil {
		return err
	}
	for _, id := range s.server.Services {
		if !wsaa.IsService(id) {
			return fmt.Errorf("services: %q is not the id of a service, such as wsfe", id)
		}
	}
	if err := checkRepresents(s.Represents); err != nil {
		return err
	}
	if err := checkPublicURL(s.PublicURL); err != nil {
		return err
	}
	s.server.Trust, err = readTrust(s.Trust)
	return err
}

func checkRepresents(represents map[wsfev1.CUIT][]wsfev1.CUIT) error {
	for holder, represented := range represents {
		for _, cuit := range append([]wsfev1.CUIT{holder}, represented...) {
			if !cuit.Valid() {
				return fmt.Errorf("represents: %s is no CUIT: it has eleven digits, the last of them a check digit", cuit)
			}
		}
		if len(represented) > maxRepresented {
			return fmt.Errorf("represents: %s stands for %d others: %d is the most", holder, len(represented), maxRepresented)
		}
	}
	return nil
}

func checkPublicURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil {
		return fmt.Errorf("public_url %q: give the address of a site, such as https://wsaahomo.afip.gov.ar", text)
	}
	return nil
}

// readTrust reads the option trust. Placeholders in a path are replaced.
func readTrust(option string) (trust wsaa.Trust, err error) {
	if option == "" || option == trustOpen {
		return trust, nil
	}
	path, err := directive.ResolvePath(option)
	if err != nil {
		return trust, fmt.Errorf("trust: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return trust, fmt.Errorf("trust: give open, or a PEM file with the certificates of the authorities: %w", err)
	}
	if trust, err = wsaa.TrustOf(text); err != nil {
		return trust, fmt.Errorf("trust: the file %s: %w", path, err)
	}
	return trust, nil
}
