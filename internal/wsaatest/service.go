package wsaatest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/client"
)

// Service is a login service behind a function, with what a network adds. Its fields may be set
// between two messages; Change sets them while there may be some.
type Service struct {
	wsaa.Server
	// Down is why the service cannot be reached, nil if it can.
	Down error
	// Lost: the service answers, but its answer is lost on the way (Down).
	Lost bool
	// Took is how long a message takes, there and back.
	Took time.Duration
	// NoDate: answers have no header Date.
	NoDate bool
	// Reply replaces an answer, if it is not nil.
	Reply func(client.Reply) client.Reply

	mu     sync.Mutex
	now    int
	most   int
	logins []Attempt
}

// Attempt is a message that the service has received.
type Attempt struct {
	At time.Time
	// Fault is the code with which it was refused, empty if it was not. Subject is the name of the
	// computer.
	Fault, Subject string
}

// sharedIssuer is the key of all services: to make one takes long.
var sharedIssuer = sync.OnceValues(wsaa.NewIssuer)

// NewService returns a service with a window of ten minutes and tickets of twelve hours.
func NewService(t testing.TB, clock func() time.Time) *Service {
	t.Helper()
	issuer, err := sharedIssuer()
	if err != nil {
		t.Fatal(err)
	}
	return &Service{Server: wsaa.Server{
		Issuer: issuer, Clock: clock, Services: []string{wsaa.TicketService}, Life: 12 * time.Hour, Window: 10 * time.Minute, Logins: new(wsaa.Logins),
	}}
}

// Change calls f while no message is looked at.
func (s *Service) Change(f func(*Service)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

// Attempts returns the messages that the service has received.
func (s *Service) Attempts() []Attempt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Attempt(nil), s.logins...)
}

// Granted returns how many of them got a ticket.
func (s *Service) Granted() (granted int) {
	for _, attempt := range s.Attempts() {
		if attempt.Fault == "" {
			granted++
		}
	}
	return granted
}

// Most returns how many messages were under way at once, at most.
func (s *Service) Most() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// Post implements client.Post.
func (s *Service) Post(ctx context.Context, message client.Message) (client.Reply, error) {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	took, down, lost := s.Took, s.Down, s.Lost
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	if err := pause(ctx, took/2); err != nil {
		return client.Reply{}, err
	}
	if down != nil && !lost {
		return client.Reply{}, down
	}
	reply := s.answer(message)
	if err := pause(ctx, took/2); err != nil {
		return client.Reply{}, err
	}
	if down != nil {
		return client.Reply{}, down
	}
	return reply, nil
}

// answer answers a message as the real service does.
func (s *Service) answer(message client.Message) client.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock()
	reply := client.Reply{Status: 500, Charset: "utf-8", Date: now.Truncate(time.Second)}
	version, in0, fault := wsaa.ReadEnvelope(message.Body)
	var login wsaa.Login
	if fault == nil {
		login, fault = s.Login(in0)
	}
	attempt := Attempt{At: now, Subject: login.Subject}
	if fault != nil {
		attempt.Fault = fault.Code
		reply.Body = version.Fault(fault)
	} else {
		reply.Status, reply.Body = 200, version.Answer(login.Response)
	}
	s.logins = append(s.logins, attempt)
	if s.NoDate {
		reply.Date = time.Time{}
	}
	if s.Reply != nil {
		return s.Reply(reply)
	}
	return reply
}

// pause waits, or returns why it did not.
func pause(ctx context.Context, long time.Duration) error {
	if long <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
