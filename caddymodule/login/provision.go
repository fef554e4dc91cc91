package login

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/directive"
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
	s.server.Failure = s.Fail
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
	if s.server.Represented, err = represented(s.Represents); err != nil {
		return err
	}
	if err := checkPublicURL(s.PublicURL); err != nil {
		return err
	}
	s.server.Trust, err = readTrust(s.Trust)
	return err
}

// represented checks the option represents, and returns it as the server takes it.
func represented(option map[directive.CUIT][]directive.CUIT) (map[wsfev1.CUIT][]wsfev1.CUIT, error) {
	by := map[wsfev1.CUIT][]wsfev1.CUIT{}
	for holder, others := range option {
		if len(others) > maxRepresented {
			return nil, fmt.Errorf("represents: %d stands for %d others: %d is the most", holder, len(others), maxRepresented)
		}
		for _, cuit := range append([]directive.CUIT{holder}, others...) {
			if err := cuit.Check(); err != nil {
				return nil, fmt.Errorf("represents: %w", err)
			}
		}
		for _, cuit := range others {
			by[wsfev1.CUIT(holder)] = append(by[wsfev1.CUIT(holder)], wsfev1.CUIT(cuit))
		}
	}
	return by, nil
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
