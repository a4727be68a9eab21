package netcup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"gatehouse/app/audit"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/providers"
)

// URL is where netcup's Server Control Panel is.
const URL = "https://www.servercontrolpanel.de"

const (
	answerWithin = 30 * time.Second
	realm        = "/realms/scp/protocol/openid-connect"
	clientID     = "scp"
	deviceGrant  = "urn:ietf:params:oauth:grant-type:device_code"
	everyUsual   = 5 * time.Second  // between questions, where netcup names no pause
	margin       = 30 * time.Second // before a token ends it is used no more
	shortest     = time.Minute      // how long a token is good for, where netcup does not say
)

// Account is the hub's way into one account at netcup. It is providers.Account.
type Account struct {
	URL   string // base URL; empty: netcup's own
	Links providers.LinkStore
	Now   func() time.Time
}

var _ providers.Account = (*Account)(nil)

// client follows no redirect: a request that carries a token goes where it was meant to go.
var client = &http.Client{
	Timeout:       answerWithin,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (a *Account) base() string { return strings.TrimSuffix(cmp.Or(a.URL, URL), "/") }

func (a *Account) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: clientID, Scopes: []string{"offline_access", "openid"}, Endpoint: oauth2.Endpoint{
			DeviceAuthURL: a.base() + realm + "/auth/device", TokenURL: a.base() + realm + "/token", AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

func withClient(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, client)
}

// errAway says that netcup gave no answer that can be used. What it sent is not repeated: it may hold tokens.
var errAway = errors.New("netcup does not answer as it should")

func away(err error) error {
	var r *oauth2.RetrieveError
	if errors.As(err, &r) {
		return fmt.Errorf("%w: status %d %s", errAway, r.Response.StatusCode, r.ErrorCode)
	}
	var u *url.Error
	if errors.As(err, &u) {
		return fmt.Errorf("%w: %w", errAway, u.Err)
	}
	return errAway
}

// Ask asks netcup for a code that somebody says yes to.
func (a *Account) Ask(ctx context.Context) (providers.Ask, error) {
	d, err := a.config().DeviceAuth(withClient(ctx))
	if err != nil {
		return providers.Ask{}, away(err)
	}
	page := cmp.Or(d.VerificationURIComplete, d.VerificationURI)
	if d.DeviceCode == "" || d.UserCode == "" || !a.trusted(page) {
		return providers.Ask{}, fmt.Errorf("%w: no code, or no page for it", errAway)
	}
	now := a.Now().UTC()
	every := time.Duration(d.Interval) * time.Second
	if every <= 0 {
		every = everyUsual
	}
	return providers.Ask{
		Device: d.DeviceCode, Code: d.UserCode, Page: page, Until: d.Expiry.UTC(), Every: every, Next: now.Add(every),
	}, nil
}

// trusted says whether our staff may be sent to a page: it is encrypted, or where the hub asks as well.
func (a *Account) trusted(page string) bool {
	return strings.HasPrefix(page, "https://") || strings.HasPrefix(page, a.base()+"/")
}

// Poll asks whether somebody said yes.
func (a *Account) Poll(ctx context.Context, ask providers.Ask) (providers.Grant, providers.Answer, error) {
	t, err := a.config().Exchange(withClient(ctx), "",
		oauth2.SetAuthURLParam("grant_type", deviceGrant), oauth2.SetAuthURLParam("device_code", ask.Device))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode == "authorization_pending":
		return providers.Grant{}, providers.NotYet, nil
	case errors.As(err, &refused) && refused.ErrorCode == "slow_down":
		return providers.Grant{}, providers.Slower, nil
	case errors.As(err, &refused) && refused.ErrorCode == "access_denied":
		return providers.Grant{}, providers.No, nil
	case errors.As(err, &refused) && (refused.ErrorCode == "expired_token" || refused.ErrorCode == "invalid_grant"):
		return providers.Grant{}, providers.TooLate, nil
	case errors.As(err, &refused):
		return providers.Grant{}, providers.NotYet, &laterError{away(err), a.left(refused.Response.Header)}
	case err != nil:
		return providers.Grant{}, providers.NotYet, away(err)
	case t.RefreshToken == "":
		return providers.Grant{}, providers.NotYet, fmt.Errorf("%w: it gave no lasting access", errAway)
	}
	g := providers.Grant{Refresh: t.RefreshToken, Access: t.AccessToken, Until: a.until(t)}
	if id, name, err := a.who(ctx, t.AccessToken); err == nil { // otherwise it is asked for when it is needed: a code works once
		g.AccountID, g.Account = id, name
	}
	return g, providers.Yes, nil
}

// until is when a token ends, by the hub's clock.
func (a *Account) until(t *oauth2.Token) time.Time {
	life := time.Duration(t.ExpiresIn) * time.Second
	if life <= 0 {
		life = shortest
	}
	return a.Now().UTC().Add(life)
}

// who asks whose account it is. The number is netcup's own, and not the customer number.
func (a *Account) who(ctx context.Context, access string) (id int64, name string, err error) {
	var says struct {
		ID   json.RawMessage `json:"id"`
		Name string          `json:"preferred_username"`
	}
	if err := a.request(ctx, http.MethodGet, realm+"/userinfo", access, nil, &says); err != nil {
		return 0, "", err
	}
	id, err = strconv.ParseInt(strings.Trim(string(says.ID), `"`), 10, 64)
	if err != nil || id <= 0 {
		return 0, "", fmt.Errorf("%w: it does not say whose account it is", errAway)
	}
	return id, cmp.Or(says.Name, strconv.FormatInt(id, 10)), nil
}

// errMeanwhile says that the hub was connected anew, maybe to another account, while netcup was asked about the one before.
var errMeanwhile = fmt.Errorf("%w: the connection changed meanwhile", errAway)

// owner is netcup's number of the account.
func (a *Account) owner(ctx context.Context) (int64, error) {
	l, err := a.access(ctx, "")
	if err != nil || l.AccountID != 0 {
		return l.AccountID, err
	}
	id, name, err := a.who(ctx, l.Access)
	if err != nil {
		return 0, err
	}
	_, err = a.Links.Change(ctx, func(_ context.Context, now *providers.Link) (*audit.Entry, error) {
		if !now.Connected() || !now.At.Equal(l.At) {
			return nil, errMeanwhile
		}
		now.AccountID, now.Account = id, name
		return nil, nil
	})
	return id, err
}

// Revoke ends a lasting token at netcup.
func (a *Account) Revoke(ctx context.Context, refresh string) error {
	form := url.Values{"client_id": {clientID}, "token": {refresh}, "token_type_hint": {"refresh_token"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base()+realm+"/revoke", strings.NewReader(form.Encode()))
	if err != nil {
		return errAway
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := client.Do(r)
	if err != nil {
		return away(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%w: status %d", errAway, answer.StatusCode)
	}
	return nil
}

// notConnected says that there is no way in, and what to do.
func notConnected(reason string) error {
	return fmt.Errorf("%w (%w)", &vpshost.RefusedError{Reason: reason}, providers.ErrNotConnected)
}

const (
	neverConnected = "netcup is not connected. Connect it on the page of providers, then try again."
	cutOff         = "netcup does not let the hub in any more: the connection was ended there, or not used for a month. " +
		"Connect it again on the page of providers, then try again."
)

// heldKey is where a context has the link whose access all requests under a lock carry.
type heldKey struct{}

// errStale says that netcup does not take the access any more that was got before a lock. No new one is got under it: what netcup gave
// would be undone together with the change.
var errStale = errors.New("netcup does not take this access any more")

// access is what requests carry: what is kept while it is good, else a new one. Stale is one that netcup does not take any more.
func (a *Account) access(ctx context.Context, stale string) (providers.Link, error) {
	if held, ok := ctx.Value(heldKey{}).(providers.Link); ok {
		if stale != "" {
			return held, errStale
		}
		return held, nil
	}
	l, err := a.Links.Link(ctx)
	if err != nil || a.good(l, stale) {
		return l, err
	}
	if !l.Connected() {
		return l, notConnected(cmp.Or(l.Problem, neverConnected))
	}
	l, err = providers.Keep(ctx, a.Links, func(ctx context.Context, l *providers.Link) (*audit.Entry, error) {
		if a.good(*l, stale) || !l.Connected() {
			return nil, nil // another process was quicker
		}
		return nil, a.refresh(ctx, l)
	})
	if err == nil && !l.Connected() {
		return l, notConnected(cmp.Or(l.Problem, neverConnected))
	}
	return l, err
}

func (a *Account) good(l providers.Link, stale string) bool {
	return l.Access != "" && l.Access != stale && a.Now().Add(margin).Before(l.AccessUntil)
}

// refresh gets new access. The old lasting token may be worth nothing from then on: who calls it keeps what comes.
func (a *Account) refresh(ctx context.Context, l *providers.Link) error {
	t, err := a.config().TokenSource(withClient(ctx), &oauth2.Token{RefreshToken: l.Refresh}).Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		now := a.Now().UTC()
		*l = providers.Link{Account: l.Account, Problem: cutOff, ProblemAt: now, Ask: l.Ask}
		return nil
	}
	if err != nil {
		return away(err)
	}
	l.Refresh, l.Access, l.AccessUntil, l.RefreshedAt = t.RefreshToken, t.AccessToken, a.until(t), a.Now().UTC()
	l.Problem, l.ProblemAt = "", time.Time{}
	return nil
}

// Renew gets new access where none was got for a day, so that the connection does not end because nobody uses it.
func (a *Account) Renew(ctx context.Context) (int, error) {
	l, err := a.Links.Link(ctx)
	if err != nil || !l.Connected() || a.Now().Sub(l.RefreshedAt) < 24*time.Hour {
		return 0, err
	}
	_, err = a.access(ctx, l.Access)
	var refused *vpshost.RefusedError
	if errors.As(err, &refused) {
		return 0, nil // the page of providers says so
	}
	return 1, err
}
