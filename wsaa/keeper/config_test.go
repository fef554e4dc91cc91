package keeper_test

import (
	"context"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsfev1"
)

// config is one that New accepts.
func config(t testing.TB, spec wsaatest.Spec) keeper.Config {
	t.Helper()
	computer := wsaatest.NewClient(t, spec)
	c, err := credential.New(computer.Certificate, computer.Key)
	if err != nil {
		t.Fatal(err)
	}
	return keeper.Config{
		URL: testURL, Credential: c, CUITs: []wsfev1.CUIT{first}, Store: new(keeper.Memory), Clock: func() time.Time { return begin },
		Login: func(context.Context, string, time.Duration) (client.Result, error) {
			return client.Result{}, errors.New("nothing logs in here")
		},
	}
}

// otherStore is a Store that is not a Memory.
type otherStore struct{ *keeper.Memory }

func TestAConfigIsChecked(t *testing.T) {
	authority := wsaatest.NewClient(t, wsaatest.Spec{Subject: pkix.Name{CommonName: "Computadores Test"}, Authority: true})
	for name, test := range map[string]struct {
		spec   wsaatest.Spec
		change func(*keeper.Config)
		want   error
		text   string
	}{
		"as it is":              {},
		"sealed":                {change: func(c *keeper.Config) { c.Store, c.Seal = otherStore{new(keeper.Memory)}, newSeal(t, 1) }},
		"not sealed":            {change: func(c *keeper.Config) { c.Store = otherStore{new(keeper.Memory)} }, want: keeper.ErrNotSealed},
		"no CUITs":              {change: func(c *keeper.Config) { c.CUITs = nil }, want: keeper.ErrNoCUITs},
		"no CUIT":               {change: func(c *keeper.Config) { c.CUITs = []wsfev1.CUIT{12345678901} }, text: "12345678901 is not a CUIT"},
		"no store":              {change: func(c *keeper.Config) { c.Store = nil }, text: "a store"},
		"no login":              {change: func(c *keeper.Config) { c.Login = nil }, text: "a login service"},
		"no service":            {change: func(c *keeper.Config) { c.Service = "w" }, text: `"w" is not the id`},
		"a negative window":     {change: func(c *keeper.Config) { c.Window = -1 }, text: "window"},
		"expired":               {spec: wsaatest.Spec{Until: begin.Add(-time.Hour)}, want: credential.ErrExpired},
		"not yet valid":         {spec: wsaatest.Spec{From: begin.Add(time.Hour)}, want: credential.ErrNotYetValid},
		"of testing":            {spec: wsaatest.Spec{Issuer: authority}, change: func(c *keeper.Config) { c.URL = wsaa.ProductionURL }, want: credential.ErrEnvironment},
		"of testing in testing": {spec: wsaatest.Spec{Issuer: authority}, change: func(c *keeper.Config) { c.URL = wsaa.TestingURL }},
		"without a CUIT":        {spec: wsaatest.Spec{Subject: pkix.Name{CommonName: "prueba"}}, want: credential.ErrNoCUIT},
	} {
		c := config(t, test.spec)
		if test.change != nil {
			test.change(&c)
		}
		k, err := keeper.New(c)
		good := test.want == nil && test.text == ""
		if good != (err == nil) || (k != nil) != good || test.want != nil && !errors.Is(err, test.want) || err != nil && !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestATicketThatCannotBeUsedIsAFailure, and not asked for again at once.
func TestATicketThatCannotBeUsedIsAFailure(t *testing.T) {
	for name, ticket := range map[string]*client.Ticket{
		"none":       nil,
		"ended":      {Token: "QUJD", Sign: "QUJD", Generation: begin.Add(-24 * time.Hour), Expiration: begin.Add(-12 * time.Hour)},
		"soon ended": {Token: "QUJD", Sign: "QUJD", Generation: begin.Add(-12 * time.Hour), Expiration: begin.Add(9 * time.Minute)},
		"beyond all": {Token: "QUJD", Sign: "QUJD", Generation: begin.AddDate(300, 0, 0), Expiration: begin.AddDate(301, 0, 0)},
	} {
		inWorld(t, 1, func(w *world) {
			logins := 0
			n := w.join(0, func(c *keeper.Config) {
				c.Login = func(context.Context, string, time.Duration) (client.Result, error) {
					logins++
					return client.Result{Ticket: ticket}, nil
				}
			})
			wait(10 * time.Minute)
			n.wantUnavailable("", 12*time.Minute)
			if logins > 5 {
				t.Errorf("%s: %d logins in ten minutes", name, logins)
			}
		})
	}
}

// TestASetGivesEachCUITItsKeeper.
func TestASetGivesEachCUITItsKeeper(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		one := w.prepare(0, nil).keeper
		w.computer = wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("30500010912", "otra")})
		w.computers = 2
		two := w.prepare(0, func(c *keeper.Config) { c.CUITs = []wsfev1.CUIT{second} }).keeper
		set, err := keeper.NewSet(one, two)
		if err != nil || len(set.Keepers()) != 2 {
			t.Fatal(err)
		}
		set.Start()
		for _, cuit := range []wsfev1.CUIT{first, second} {
			ticket, err := set.Ticket(w.Context(), "wsfe", cuit)
			if err != nil || ticket.Relations[0] != cuit {
				t.Fatalf("%s: %v, %v", cuit, ticket, err)
			}
		}
		var none *keeper.NoKeeperError
		for _, ask := range []struct {
			service string
			cuit    wsfev1.CUIT
		}{{"wsfe", 27222222228}, {"wsfex", first}} {
			if ticket, err := set.Ticket(w.Context(), ask.service, ask.cuit); ticket != nil || !errors.As(err, &none) || none.CUIT != ask.cuit {
				t.Errorf("%v: %v", ask, err)
			}
		}
		ticket, err := set.Ticket(w.Context(), "wsfe", second)
		if err != nil {
			t.Fatal(err)
		}
		set.Refused(second, ticket)
		if _, err := set.Ticket(w.Context(), "wsfe", second); !errors.Is(err, keeper.ErrRefused) {
			t.Error(err)
		}
		if _, err := set.Ticket(w.Context(), "wsfe", first); err != nil {
			t.Error(err)
		}
		if err := set.Close(w.Context()); err != nil {
			t.Error(err)
		}
		if twice, err := keeper.NewSet(one, one); twice != nil || err == nil || !strings.Contains(err.Error(), "two certificates") {
			t.Error(err)
		}
	})
}

// TestASealPrintsWithoutItsKey, and takes no short one.
func TestASealPrintsWithoutItsKey(t *testing.T) {
	seal := newSeal(t, 9)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		if got := fmt.Sprintf(verb, seal); got != "seal of tickets" {
			t.Errorf("%s: %s", verb, got)
		}
	}
	if seal, err := keeper.NewSeal(make([]byte, 31)); seal != nil || err == nil {
		t.Error("a short key is accepted")
	}
}

// TestNothingThatIsToldHasACredential: events, snapshots and errors.
func TestNothingThatIsToldHasACredential(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, func(c *keeper.Config) { c.CUITs = []wsfev1.CUIT{first, second} })
		ticket := n.want()
		n.keeper.Refused(ticket)
		_, err := n.ticket(0)
		wait(12 * time.Minute)
		ticket = n.want()
		told := fmt.Sprintf("%+v %#v %+v %#v %v %+v", n.events, n.events, n.keeper.Snapshot(), n.keeper.Snapshot(), err, n.keeper.Snapshot().Failure)
		for _, secret := range []string{ticket.Token.Reveal(), ticket.Sign.Reveal()} {
			if strings.Contains(told, secret) || strings.Contains(told, secret[:40]) {
				t.Error("a credential is told")
			}
		}
		if n.kinds(keeper.LoggedIn) != 2 || n.kinds(keeper.TicketRefused) != 1 {
			t.Errorf("%+v", n.events)
		}
	})
}

// TestATicketAtHandCostsNoAllocation.
func TestATicketAtHandCostsNoAllocation(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		n := w.join(0, nil)
		n.want()
		ctx := w.Context()
		if allocations := testing.AllocsPerRun(100, func() { _, _ = n.keeper.Ticket(ctx, first) }); allocations != 0 {
			t.Errorf("%v allocations", allocations)
		}
	})
}
