package tickets

import (
	"slices"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/fielato/fielato/caddymodule/internal/metrics"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/keeper"
)

// logger returns the logger of the keepers, which outlive configurations.
func logger() *zap.Logger { return caddy.Log().Named("http.handlers.wsfev1.tickets") }

// telling is how an event is logged.
type telling struct {
	level   zapcore.Level
	message string
}

var tellings = map[keeper.Kind]telling{
	keeper.LoggedIn:      {zap.InfoLevel, "logged in at WSAA: there is a new ticket"},
	keeper.LoginFailed:   {zap.ErrorLevel, "the login at WSAA has failed"},
	keeper.Adopted:       {zap.InfoLevel, "the store has a ticket, which is used"},
	keeper.TicketRefused: {zap.ErrorLevel, "the service has refused the ticket: another one is asked for as soon as WSAA gives one, and this one is tried again meanwhile"},
	keeper.StoreFailed:   {zap.ErrorLevel, "the store of tickets cannot be used"},
	keeper.ClockOff:      {zap.WarnLevel, "the clock of this machine and that of the authority differ: set it by NTP"},
	keeper.Unrepresented: {zap.ErrorLevel, "the ticket does not act for some of the configured CUITs: delegate the service to the owner of the certificate in the authority's portal"},
	keeper.Asked:         {zap.InfoLevel, "a login at WSAA was asked for: it begins as soon as WSAA allows"},
	keeper.Panicked:      {zap.ErrorLevel, "a part of the keeper of a ticket has panicked and goes on"},
}

// Fields returns the fields of a line of log about a certificate, none if it is not known.
func Fields(i credential.Identity) []zap.Field {
	if !i.Known() {
		return nil
	}
	fields := []zap.Field{zap.String("certificate", i.Name), zap.String("alias", i.Alias), zap.Time("certificate_until", i.Expires)}
	if i.CUIT != 0 {
		fields = append(fields, zap.Stringer("certificate_cuit", i.CUIT))
	}
	return fields
}

// count counts the logins of a keeper.
func (p *pooled) count(kind keeper.Kind) {
	switch kind {
	case keeper.LoggedIn:
		p.granted.Add(1)
	case keeper.LoginFailed:
		p.failed.Add(1)
	}
}

// observer returns the function that counts and logs the events of the keeper.
func (p *pooled) observer() func(keeper.Event) {
	about := append(Fields(p.options.identity), zap.String("login", p.options.at.URL))
	return func(e keeper.Event) {
		events.WithLabelValues(e.Kind.String()).Inc()
		p.count(e.Kind)
		if e.Kind == keeper.Panicked {
			metrics.PanicsTotal.Inc()
		}
		how := tellings[e.Kind]
		fields := slices.Clone(about)
		if e.Code != "" {
			fields = append(fields, zap.String("code", e.Code))
		}
		if e.Err != nil {
			fields = append(fields, zap.Error(e.Err))
		}
		if !e.Expiration.IsZero() {
			fields = append(fields, zap.Time("ticket_until", e.Expiration))
		}
		if !e.Next.IsZero() {
			fields = append(fields, zap.Time("next_attempt", e.Next))
		}
		if e.Kind == keeper.ClockOff {
			fields = append(fields, zap.Duration("ahead", e.Skew))
		}
		for _, cuit := range e.CUITs {
			fields = append(fields, zap.Stringer("cuit", cuit))
		}
		logger().Log(how.level, how.message, fields...)
	}
}
