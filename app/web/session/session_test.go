package session_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/web/session"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bench is a Manager over a real database with a clock that the test moves.
type bench struct {
	*session.Manager
	db    *db.DB
	owner signin.Subject
	clerk signin.Subject // of our staff
	token account.Bearer

	revoked atomic.Bool   // the token
	checked chan struct{} // told of each look at the token, when a test listens

	mu  sync.Mutex
	now time.Time
}

func (b *bench) Authenticate(_ context.Context, secret string) (account.Bearer, error) {
	select {
	case b.checked <- struct{}{}:
	default:
	}
	if secret != "gth_right" || b.revoked.Load() {
		return account.Bearer{}, account.ErrToken
	}
	return b.token, nil
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func setup(t *testing.T, secure bool) *bench {
	t.Helper()
	b := &bench{db: dbtest.New(t), now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	b.owner = signin.Subject{CustomerID: uuid.NewString(), UserID: uuid.NewString()}
	b.clerk = signin.Subject{StaffID: uuid.NewString()}
	b.exec(t, "INSERT INTO customers VALUES ($1, 'Bakery', 'Europe/Berlin', now())", b.owner.CustomerID)
	b.exec(t, `INSERT INTO users VALUES ($1, $2, 'owner@example.com', 'owner@example.com', 'The owner', 'owner', '$argon2id$x', NULL, now())`, b.owner.UserID, b.owner.CustomerID)
	b.exec(t, `INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at)
		VALUES ($1, 'staff@example.com', 'staff@example.com', 'Staff', 'SUPPORT', '$argon2id$x', 'x', now())`, b.clerk.StaffID)
	b.token = account.Bearer{Token: account.Token{Scope: account.ScopeCustomer, CustomerID: account.CustomerID(b.owner.CustomerID), UserID: account.UserID(b.owner.UserID)}}
	b.Manager = session.New(signin.Desk{Store: &db.Signins{DB: b.db}, Now: b.clock}, b, secure)
	return b
}

func (b *bench) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := b.db.Pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// browser keeps cookies, as a browser does.
type browser struct{ jar map[string]*http.Cookie }

func newBrowser() *browser { return &browser{map[string]*http.Cookie{}} }

// visit runs h with the browser's cookies and keeps those it sets.
func (w *browser) visit(t *testing.T, h echo.HandlerFunc, change ...func(*http.Request)) error {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	for _, c := range w.jar {
		r.AddCookie(c)
	}
	for _, f := range change {
		f(r)
	}
	rec := httptest.NewRecorder()
	err := h(echo.New().NewContext(r, rec))
	for _, c := range rec.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(w.jar, c.Name)
		} else {
			w.jar[c.Name] = c
		}
	}
	return err
}

func (b *bench) signIn(t *testing.T, w *browser, kind signin.Kind, who signin.Subject) {
	t.Helper()
	if err := w.visit(t, func(c echo.Context) error { return b.Open(c, kind, who) }); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) enters(t *testing.T, w *browser, kind signin.Kind) (who session.Who, err error) {
	t.Helper()
	err = w.visit(t, b.Require(kind)(func(c echo.Context) error {
		who = session.Of(c)
		return nil
	}))
	return who, err
}

func TestManager_cookies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		secure bool
		kind   signin.Kind
		cookie string
		same   http.SameSite
	}{
		"customer on loopback":    {false, signin.Customer, "sid", http.SameSiteLaxMode},
		"staff on loopback":       {false, signin.Staff, "ssid", http.SameSiteStrictMode},
		"customer over TLS":       {true, signin.Customer, "__Host-sid", http.SameSiteLaxMode},
		"staff over TLS":          {true, signin.Staff, "__Host-ssid", http.SameSiteStrictMode},
		"half-way staff over TLS": {true, signin.Pending, "__Host-psid", http.SameSiteStrictMode},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, w := setup(t, c.secure), newBrowser()
			who := b.clerk
			if c.kind == signin.Customer {
				who = b.owner
			}
			b.signIn(t, w, c.kind, who)
			got := w.jar[c.cookie]
			if got == nil || !got.HttpOnly || got.Secure != c.secure || got.SameSite != c.same || got.Path != "/" || got.Domain != "" {
				t.Fatalf("cookie %s: %+v", c.cookie, got)
			}
			var raw int
			if err := b.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM signins s WHERE s::text LIKE '%' || $1 || '%'", got.Value).Scan(&raw); err != nil || raw != 0 {
				t.Errorf("the table holds the secret itself: %d, %v", raw, err)
			}
		})
	}
}

func TestManager_kindsAreNeverTakenForAnother(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	kinds := map[signin.Kind]signin.Subject{signin.Customer: b.owner, signin.Staff: b.clerk, signin.Pending: b.clerk}
	for has, who := range kinds {
		w := newBrowser()
		b.signIn(t, w, has, who)
		secret := w.jar[b.CookieName(has)].Value
		for wants := range kinds {
			forged := newBrowser()
			forged.jar[b.CookieName(wants)] = &http.Cookie{Name: b.CookieName(wants), Value: secret} // under the other name
			if _, err := b.enters(t, forged, wants); (err == nil) != (has == wants) {
				t.Errorf("secret of %s as %s: %v", has, wants, err)
			}
		}
	}
}

func TestManager_who(t *testing.T) {
	t.Parallel()
	b, w, s := setup(t, false), newBrowser(), newBrowser()
	b.signIn(t, w, signin.Customer, b.owner)
	b.signIn(t, s, signin.Staff, b.clerk)
	who, err := b.enters(t, w, signin.Customer)
	if err != nil || who.UserID != b.owner.UserID || who.CustomerID != b.owner.CustomerID || who.Business != "Bakery" ||
		who.Role != "owner" || who.Zone().String() != "Europe/Berlin" || who.IsStaff() || who.Method != session.BySession {
		t.Errorf("owner: %+v, %v", who, err)
	}
	who, err = b.enters(t, s, signin.Staff)
	if err != nil || who.StaffID != b.clerk.StaffID || who.CustomerID != "" || who.Role != "SUPPORT" || !who.IsStaff() {
		t.Errorf("staff: %+v, %v", who, err)
	}
}

func TestManager_fixation(t *testing.T) {
	t.Parallel()
	b, attacker, victim := setup(t, false), newBrowser(), newBrowser()
	b.signIn(t, attacker, signin.Customer, b.owner)
	planted := *attacker.jar["sid"]
	victim.jar["sid"] = &planted
	b.signIn(t, victim, signin.Customer, b.owner)
	if victim.jar["sid"].Value == planted.Value {
		t.Error("the planted id was taken over")
	}
	if _, err := b.enters(t, attacker, signin.Customer); !errors.Is(err, signin.ErrNone) {
		t.Errorf("the planted id still opens: %v", err)
	}
}

func TestManager_lifetimes(t *testing.T) {
	t.Parallel()
	b, w, s := setup(t, false), newBrowser(), newBrowser()
	b.signIn(t, w, signin.Customer, b.owner)
	b.signIn(t, s, signin.Staff, b.clerk)
	for range 23 { // in use every half hour but one minute: up to the absolute end
		b.pass(signin.StaffIdle - time.Minute)
		if _, err := b.enters(t, s, signin.Staff); err != nil {
			t.Fatalf("busy staff was signed out at %s: %v", b.clock(), err)
		}
	}
	b.pass(signin.StaffIdle)
	if _, err := b.enters(t, s, signin.Staff); !errors.Is(err, signin.ErrNone) {
		t.Errorf("idle staff: %v", err)
	}
	b.pass(20 * 24 * time.Hour)
	if _, err := b.enters(t, w, signin.Customer); err != nil {
		t.Errorf("customer after three weeks: %v", err)
	}
	b.pass(10 * 24 * time.Hour)
	if _, err := b.enters(t, w, signin.Customer); !errors.Is(err, signin.ErrNone) {
		t.Errorf("customer after a month: %v", err)
	}
}

func TestManager_fresh(t *testing.T) {
	t.Parallel()
	b, w := setup(t, false), newBrowser()
	b.signIn(t, w, signin.Customer, b.owner)
	risky := b.Require(signin.Customer)(b.Fresh(func(echo.Context) error { return nil }))
	if err := w.visit(t, risky); err != nil {
		t.Errorf("at once: %v", err)
	}
	b.pass(signin.FreshFor)
	if err := w.visit(t, risky); !errors.Is(err, signin.ErrNotFresh) {
		t.Errorf("ten minutes later: %v", err)
	}
}

func TestManager_csrf(t *testing.T) {
	t.Parallel()
	b, w, other := setup(t, false), newBrowser(), newBrowser()
	b.signIn(t, w, signin.Customer, b.owner)
	b.signIn(t, other, signin.Customer, b.owner)
	token := func(w *browser) (tok string) {
		_ = w.visit(t, b.Require(signin.Customer)(func(c echo.Context) error { tok = session.CSRF(c); return nil }))
		return tok
	}
	form := func(v string) func(*http.Request) {
		return func(r *http.Request) {
			p := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("csrf="+v))
			r.Body, r.ContentLength = p.Body, p.ContentLength
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	}
	get := func(r *http.Request) { r.Method = http.MethodGet }
	act := b.Require(signin.Customer)(session.CheckCSRF(func(echo.Context) error { return nil }))
	for name, c := range map[string]struct {
		change func(*http.Request)
		ok     bool
	}{
		"own field":           {form(token(w)), true},
		"only reads":          {get, true},
		"no field":            {form(""), false},
		"another sign-in's":   {form(token(other)), false},
		"in the address only": {func(r *http.Request) { r.URL.RawQuery = "csrf=" + token(w) }, false},
	} {
		if err := w.visit(t, act, c.change); (err == nil) != c.ok || (!c.ok && !errors.Is(err, session.ErrCSRF)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	before := token(w)
	b.signIn(t, w, signin.Customer, b.owner)
	if token(w) == before {
		t.Error("the field outlived its sign-in")
	}
}

func TestManager_apiTokens(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	with := func(v string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", v) }
	}
	for name, c := range map[string]struct {
		header string
		staff  bool
		kind   fault.Kind // "" when let in
	}{
		"right token":        {"Bearer gth_right", false, ""},
		"scheme in capitals": {"BEARER gth_right", false, ""},
		"customer as staff":  {"Bearer gth_right", true, fault.Forbidden},
		"unknown token":      {"Bearer gth_wrong", false, fault.Unauthorized},
		"no prefix":          {"Bearer right", false, fault.Unauthorized},
		"basic":              {"Basic gth_right", false, fault.Unauthorized},
		"nothing":            {"", false, fault.Unauthorized},
	} {
		scope := string(account.ScopeCustomer)
		if c.staff {
			scope = string(account.ScopeAdmin)
		}
		var who session.Who
		err := newBrowser().visit(t, b.Token(c.staff, scope)(func(c echo.Context) error { who = session.Of(c); return nil }), with(c.header))
		if c.kind == "" && (err != nil || who.CustomerID != b.owner.CustomerID || who.Method != session.ByToken || !who.FreshUntil.IsZero()) {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
		if c.kind != "" && (err == nil || fault.Of(err).Kind != c.kind) {
			t.Errorf("%s: %v, want %s", name, err, c.kind)
		}
	}
}

func TestManager_endsWithWhatItWasGivenFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql  string
		kind signin.Kind
		ends bool
	}{
		"new password": {"UPDATE users SET password_hash = '$argon2id$y'", signin.Customer, true},
		"another role": {"INSERT INTO users " +
			"SELECT gen_random_uuid(), customer_id, 'o', 'o', 'o', 'owner', '$argon2id$x', NULL, now() FROM users; " +
			"UPDATE users SET role = 'member' WHERE email <> 'o'", signin.Customer, true},
		"a right taken":         {"UPDATE users SET may_chat = true; UPDATE users SET may_chat = false", signin.Customer, true},
		"a right given":         {"UPDATE users SET may_chat = true", signin.Customer, false},
		"address proven":        {"UPDATE users SET verified_at = now()", signin.Customer, false},
		"staff switched off":    {"UPDATE staff SET off_at = now()", signin.Staff, true},
		"staff role":            {"UPDATE staff SET role = 'OWNER'", signin.Staff, true},
		"staff second factor":   {"UPDATE staff SET totp_secret = 'y'", signin.Pending, true},
		"staff code was typed":  {"UPDATE staff SET totp_step = 7", signin.Pending, false},
		"staff changes no user": {"UPDATE staff SET off_at = now()", signin.Customer, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, w := setup(t, false), newBrowser()
			who := b.clerk
			if c.kind == signin.Customer {
				who = b.owner
			}
			b.signIn(t, w, c.kind, who)
			if _, err := b.enters(t, w, c.kind); err != nil {
				t.Fatal(err)
			}
			b.exec(t, c.sql)
			b.pass(time.Second) // the longest that anything is believed
			if _, err := b.enters(t, w, c.kind); (err != nil) != c.ends {
				t.Errorf("after it: %v, want an end: %v", err, c.ends)
			}
		})
	}
}

func TestManager_closeAll(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	here, there, clerk := newBrowser(), newBrowser(), newBrowser()
	b.signIn(t, here, signin.Customer, b.owner)
	b.signIn(t, there, signin.Customer, b.owner)
	b.signIn(t, clerk, signin.Staff, b.clerk)
	who, err := b.enters(t, here, signin.Customer)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := b.CloseAll(t.Context(), b.owner, who.SigninID); n != 1 || err != nil {
		t.Fatalf("ended %d, %v; want the one elsewhere", n, err)
	}
	for name, c := range map[string]struct {
		w    *browser
		kind signin.Kind
		ok   bool
	}{"here": {here, signin.Customer, true}, "elsewhere": {there, signin.Customer, false}, "staff": {clerk, signin.Staff, true}} {
		if _, err := b.enters(t, c.w, c.kind); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.CloseAll(t.Context(), signin.Subject{}, ""); err == nil {
		t.Error("ended the sign-ins of nobody in particular")
	}
}

// TestWatch_endsWithTheSignIn: every stream is told that its sign-in is over, by whomever. How late is for the interval to
// say: a busy machine may take a while to tell.
func TestWatch_endsWithTheSignIn(t *testing.T) {
	t.Parallel()
	if session.WatchEvery >= 5*time.Second {
		t.Errorf("streams are looked at every %s, and told within five seconds", session.WatchEvery)
	}
	for name, end := range map[string]func(t *testing.T, b *bench, w *browser){
		"signed out here": func(t *testing.T, b *bench, w *browser) {
			if err := w.visit(t, func(c echo.Context) error { return b.Close(c, signin.Customer) }); err != nil {
				t.Error(err)
			}
		},
		"signed out everywhere": func(t *testing.T, b *bench, _ *browser) {
			if _, err := b.CloseAll(t.Context(), b.owner, ""); err != nil {
				t.Error(err)
			}
		},
		"ended by another hub": func(t *testing.T, b *bench, _ *browser) { b.exec(t, "DELETE FROM signins") },
		"ran out":              func(_ *testing.T, b *bench, _ *browser) { b.pass(signin.CustomerLife) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, w := setup(t, false), newBrowser()
			b.signIn(t, w, signin.Customer, b.owner)
			ended := make(chan struct{})
			err := w.visit(t, b.Require(signin.Customer)(func(c echo.Context) error {
				r := session.Watch(c, func() { close(ended) })
				defer r.Stop()
				end(t, b, w)
				select {
				case <-ended:
				case <-time.After(time.Minute):
					t.Error("the stream was not told")
				}
				if !r.Ended() {
					t.Error("Ended = false")
				}
				return nil
			}))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestManager_signOutIsSeenAtOnce: what this hub ends, no request that begins after it passes, however many are under way.
func TestManager_signOutIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	b, w := setup(t, false), newBrowser()
	b.signIn(t, w, signin.Customer, b.owner)
	secret := *w.jar["sid"]
	stop := make(chan struct{})
	var busy sync.WaitGroup
	for range 4 {
		busy.Go(func() {
			same := newBrowser()
			for {
				same.jar["sid"] = &secret
				_, _ = b.enters(t, same, signin.Customer) // keeps reading while the sign-in ends
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	if err := w.visit(t, func(c echo.Context) error { return b.Close(c, signin.Customer) }); err != nil {
		t.Error(err)
	}
	for range 200 {
		after := newBrowser()
		after.jar["sid"] = &secret
		if _, err := b.enters(t, after, signin.Customer); !errors.Is(err, signin.ErrNone) {
			t.Fatalf("after the sign-out: %v", err)
		}
	}
	close(stop)
	busy.Wait()
}

func TestWatch_endsWithTheToken(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	b.CheckTokensEvery(time.Millisecond)
	b.checked = make(chan struct{})
	err := newBrowser().visit(t, b.Token(false, string(account.ScopeCustomer))(func(c echo.Context) error {
		ended := make(chan struct{})
		r := session.Watch(c, func() { close(ended) })
		defer r.Stop()
		for range 3 {
			select {
			case <-ended:
				t.Error("ended while the token held")
			case <-b.checked:
			case <-time.After(time.Minute):
				t.Error("the token is not looked at again")
			}
		}
		b.revoked.Store(true)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Error("the stream outlived its token")
		}
		return nil
	}), func(r *http.Request) { r.Header.Set("Authorization", "Bearer gth_right") })
	if err != nil {
		t.Error(err)
	}
}

func TestAlive_agreesWithLive(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	store := &db.Signins{DB: b.db}
	for _, kind := range []signin.Kind{signin.Customer, signin.Staff, signin.Pending} {
		who := b.clerk
		if kind == signin.Customer {
			who = b.owner
		}
		s, _, err := signin.Desk{Store: store, Now: b.clock}.Open(t.Context(), kind, who, signin.Origin{}, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, edge := range []time.Duration{signin.StaffIdle, signin.StaffLife, signin.PendingLife, signin.CustomerLife} {
			for _, at := range []time.Time{s.CreatedAt.Add(edge - time.Second), s.CreatedAt.Add(edge), s.CreatedAt.Add(edge + time.Second)} {
				alive, err := store.Alive(t.Context(), []string{s.ID}, at)
				if err != nil || (len(alive) == 1) != s.Live(at) {
					t.Errorf("%s after %s: SQL %v, Go %v, %v", kind, at.Sub(s.CreatedAt), alive, s.Live(at), err)
				}
			}
		}
	}
}

func TestSignins_deadRowsGoAway(t *testing.T) {
	t.Parallel()
	b, w := setup(t, false), newBrowser()
	b.signIn(t, newBrowser(), signin.Customer, b.owner)
	b.pass(signin.CustomerLife)
	b.signIn(t, w, signin.Customer, b.owner)
	var n int
	if err := b.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM signins").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows, %v; want the live one", n, err)
	}
}
