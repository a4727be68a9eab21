package web

import (
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"gatehouse/app/fault"
)

// Limit names a kind of bucket.
type Limit string

// The buckets, each per address. What one account may try, whatever the address, is counted by its service.
const (
	LimitSignIn   Limit = "sign_in"  // passwords and codes
	LimitCheckout Limit = "checkout" // new customers
	LimitMail     Limit = "mail"     // requests that send a mail
	LimitInvite   Limit = "invite"   // invitations
	LimitRegister Limit = "register" // registrations of servers
	LimitAPI      Limit = "api"      // the JSON API
	LimitHook     Limit = "hook"     // what other services send by themselves
)

// bucket says how many may come at once and how many in a minute after that.
type bucket struct{ burst, perMinute int }

func (b bucket) limit() rate.Limit { return rate.Limit(float64(b.perMinute) / 60) }

var buckets = map[Limit]bucket{
	LimitSignIn:   {30, 30},
	LimitCheckout: {20, 10},
	LimitMail:     {20, 10},
	LimitInvite:   {20, 10},
	LimitRegister: {60, 60},
	LimitAPI:      {6000, 60000},
	LimitHook:     {600, 6000},
}

// ErrTooMany is what an empty bucket answers; the header Retry-After says how long it takes.
var ErrTooMany = fault.New(fault.TooMany, "too-many", "rate limit",
	"Too many tries. Nothing was changed. Wait a minute, then try again.")

// Limits are the token buckets of this process. They hold at most limitKeys keys: under a flood of addresses the ones
// idle longest are forgotten first, as theirs would be full again.
type Limits struct {
	now   func() time.Time
	rates func(Limit) int // nil: as it comes
	mu    sync.Mutex
	all   map[string]*entry
}

type entry struct {
	limiter *rate.Limiter
	bucket  bucket
	used    time.Time
}

const limitKeys = 100_000

// NewLimits makes empty Limits.
func NewLimits(now func() time.Time) *Limits {
	return &Limits{now: now, all: map[string]*entry{}}
}

// with has rates say how many may come in a minute.
func (l *Limits) with(rates func(Limit) int) *Limits {
	l.rates = rates
	return l
}

// bucket is what holds for a kind now: of a rate that our staff have set, as many more or fewer come at once.
func (l *Limits) bucket(kind Limit) bucket {
	b := buckets[kind]
	if l.rates == nil || b.perMinute == 0 {
		return b
	}
	n := l.rates(kind)
	return bucket{max(1, b.burst*n/b.perMinute), n}
}

// Take takes one token from the bucket of kind and key, or returns a fault of kind TooMany.
func (l *Limits) Take(kind Limit, key string) error {
	if wait := l.take(kind, key); wait > 0 {
		return &tooMany{Fault: ErrTooMany, wait: wait}
	}
	return nil
}

// take returns how long to wait; 0 when a token was there.
func (l *Limits) take(kind Limit, key string) time.Duration {
	now, b := l.now(), l.bucket(kind) // which may ask the database: before the lock that all wait for
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entry(kind, key, b, now)
	r := e.limiter.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

func (l *Limits) entry(kind Limit, key string, b bucket, now time.Time) *entry {
	id := string(kind) + "\x00" + key
	if e, ok := l.all[id]; ok {
		e.used = now
		if e.bucket != b {
			e.bucket = b
			e.limiter.SetLimitAt(now, b.limit())
			e.limiter.SetBurstAt(now, b.burst)
		}
		return e
	}
	if len(l.all) >= limitKeys {
		l.forget(now)
	}
	e := &entry{rate.NewLimiter(b.limit(), b.burst), b, now}
	l.all[id] = e
	return e
}

// forget drops what has been idle so long that its bucket is full, and if that is not enough, half of everything.
func (l *Limits) forget(now time.Time) {
	for id, e := range l.all {
		if e.limiter.TokensAt(now) >= float64(e.limiter.Burst()) {
			delete(l.all, id)
		}
	}
	for id := range l.all {
		if len(l.all) < limitKeys/2 {
			return
		}
		delete(l.all, id)
	}
}

// perAddress guards a route with the bucket of the sender's address.
func (l *Limits) perAddress(kind Limit) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := l.Take(kind, Network(c.RealIP())); err != nil {
				return err
			}
			return next(c)
		}
	}
}

// Network is the address itself for IPv4 and the /64 for IPv6, of which one person has as many as they like.
func Network(address string) string {
	ip := net.ParseIP(address)
	if ip == nil || ip.To4() != nil {
		return address
	}
	return ip.Mask(net.CIDRMask(64, 128)).String()
}

// tooMany is ErrTooMany with the wait.
type tooMany struct {
	*fault.Fault
	wait time.Duration
}

func (t *tooMany) Error() string { return fmt.Sprintf("%s: wait %s", t.Log, t.wait) }
func (t *tooMany) Unwrap() error { return t.Fault }
