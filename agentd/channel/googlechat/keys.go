package googlechat

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"gatehouse/agentd/channel"
)

// Where the certificates are by which Google signs what it brings, and as whom.
const (
	certificates    = "https://www.googleapis.com"
	certificatePath = "/service_accounts/v1/metadata/x509/chat@system.gserviceaccount.com"
	issuer          = "chat@system.gserviceaccount.com"
)

// How long keys are used before they are asked for anew, and how often an unknown one has them asked for: anybody can name one.
const (
	keysFor   = time.Hour
	keysEvery = time.Minute
	clockSkew = 5 * time.Minute
)

// keys are those by which Google signs.
type keys struct {
	at  string
	now func() time.Time

	mu     sync.Mutex
	all    map[string]*rsa.PublicKey
	asked  time.Time
	asking int // how many wait for an answer
	loaded time.Time
}

// begin gets the keys before anything is brought, so that nothing waits for them.
func (k *keys) begin(ctx context.Context) error {
	k.mu.Lock()
	k.asked = k.now()
	k.mu.Unlock()
	return k.fetch(ctx)
}

// fetch gets the keys of now.
func (k *keys) fetch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.at, http.NoBody)
	if err != nil {
		return errEnded
	}
	answer, err := channel.RoundTrip(r)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	err = errors.Join(err, answer.Body.Close())
	switch {
	case answer.StatusCode != http.StatusOK:
		return refusalOf(answer)
	case err != nil:
		return err
	}
	var pems map[string]string
	if json.Unmarshal(raw, &pems) != nil {
		return errEnded
	}
	all := map[string]*rsa.PublicKey{}
	for id, pem := range pems {
		if key, err := jwt.ParseRSAPublicKeyFromPEM([]byte(pem)); err == nil {
			all[id] = key
		}
	}
	if len(all) == 0 {
		return errEnded
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all, k.loaded = all, k.now()
	return nil
}

// key is the one that a signature names. Keys are asked for when they are old or it is not among them, and not for everybody who asks.
// While nobody knows which there are, nothing is called forged: Google brings nothing twice that it was told is not its own.
func (k *keys) key(ctx context.Context, id string) (*rsa.PublicKey, error) {
	k.mu.Lock()
	now := k.now()
	known := k.all[id]
	old := now.Sub(k.loaded) > keysFor
	ask := (known == nil || old) && now.Sub(k.asked) > keysEvery
	unsure := k.loaded.IsZero() || k.asking > 0
	if ask {
		k.asked = now
		k.asking++
	}
	k.mu.Unlock()
	switch {
	case ask:
	case known != nil:
		return known, nil
	case unsure: // it may be one of those that are on their way
		return nil, &notBegun{errUnreachable}
	default:
		return nil, errUnproven
	}
	err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asking--
	switch {
	case err != nil && known != nil:
		return known, nil
	case err != nil:
		k.asked = time.Time{} // the next one may ask
		return nil, &notBegun{err}
	case k.all[id] == nil:
		return nil, errUnproven
	}
	return k.all[id], nil
}

// errUnproven says that Google has not signed something.
var errUnproven = errors.New("not signed by Google for this project")

// prove says whether Google has signed a request for a project, not long ago. An error of another kind says that nobody knows.
func (k *keys) prove(ctx context.Context, token, project string) error {
	var unknown error
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(issuer), jwt.WithAudience(project),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(clockSkew), jwt.WithTimeFunc(k.now))
	_, err := parser.ParseWithClaims(token, &jwt.RegisteredClaims{}, func(t *jwt.Token) (any, error) {
		id, is := t.Header["kid"].(string)
		if !is {
			return nil, errUnproven
		}
		key, err := k.key(ctx, id)
		if err != nil && !errors.Is(err, errUnproven) {
			unknown = err
		}
		return key, err
	})
	switch {
	case unknown != nil:
		return unknown
	case err != nil:
		return errUnproven
	}
	return nil
}
