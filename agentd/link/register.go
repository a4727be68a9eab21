package link

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"gatehouse/agentd/wire"
)

// RegisterPath is where a hub takes registrations, below its base URL.
const RegisterPath = "/api/v1/tenant/register"

// answerTime is how long one try of a registration may take.
const answerTime = 15 * time.Second

// Registration is what a server needs to become known to a hub.
type Registration struct {
	Hub       string // base URL of the hub
	StateDir  string // where the keys are kept
	TokenFile string // holds the one-time token; deleted once it was used
	Version   string // of agentd
	Log       *slog.Logger
}

// ErrNotRegistered says that there is neither an identity nor a token to get one.
var ErrNotRegistered = errors.New("this server is not registered, and there is no registration token")

// RefusedError is a hub's final refusal of a registration; trying again cannot help.
type RefusedError struct {
	Status int
	Text   string // the hub's words for people
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("registration refused (%d): %s", e.Status, e.Text)
}

// Register gives the identity of this server. The first time it makes keys and registers them with the one-time token,
// trying again until the hub answers or ctx ends. A lost answer is harmless: the keys are durable before the token is
// used, and the hub answers the same keys the same again.
func Register(ctx context.Context, r Registration) (Identity, error) {
	id, err := loadOrMake(r.StateDir)
	if err != nil {
		return Identity{}, err
	}
	if id.Registered() {
		return id, r.forget()
	}
	token, err := r.token()
	if err != nil {
		return Identity{}, err
	}
	answer, err := r.insist(ctx, id, token)
	if err != nil {
		return Identity{}, err
	}
	if err := id.save(r.StateDir, &answer); err != nil {
		return Identity{}, err
	}
	id.ServerID, id.Hub, id.LinkURL, id.Config, id.Command = answer.ServerID, answer.Hub, answer.LinkURL, answer.Config, answer.CommandKey
	return id, r.forget()
}

func (r Registration) token() (string, error) {
	raw, err := os.ReadFile(r.TokenFile)
	if r.TokenFile == "" || errors.Is(err, os.ErrNotExist) {
		return "", ErrNotRegistered
	}
	if err != nil {
		return "", fmt.Errorf("read registration token: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// forget deletes the token, which is of no use any more.
func (r Registration) forget() error {
	if r.TokenFile == "" {
		return nil
	}
	if err := os.Remove(r.TokenFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("delete used registration token: %w", err)
	}
	return nil
}

// insist asks until the hub answers.
func (r Registration) insist(ctx context.Context, id Identity, token string) (wire.RegisterResponse, error) {
	body, err := json.Marshal(wire.RegisterRequest{
		Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(id.Key.Public().(ed25519.PublicKey)),
		SealKey: id.sealPub, AgentdVersion: r.Version,
	})
	if err != nil {
		return wire.RegisterResponse{}, fmt.Errorf("register: %w", err)
	}
	wait := backoff{min: 500 * time.Millisecond, max: 30 * time.Second}
	for {
		answer, err := r.once(ctx, body)
		var refused *RefusedError
		if err == nil || errors.As(err, &refused) {
			return answer, err
		}
		r.Log.WarnContext(ctx, "registration did not get through", "hub", r.Hub, "error", err)
		if err := wait.sleep(ctx); err != nil {
			return wire.RegisterResponse{}, fmt.Errorf("register: %w", err)
		}
	}
}

func (r Registration) once(ctx context.Context, body []byte) (answer wire.RegisterResponse, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(r.Hub, "/")+RegisterPath, bytes.NewReader(body)) // the hub's own token, public keys and a version: nothing to redact
	if err != nil {
		return answer, fmt.Errorf("register: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer, fmt.Errorf("register: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // everything wanted was read
	raw, err := io.ReadAll(io.LimitReader(res.Body, wire.MaxFrame))
	if err != nil {
		return answer, fmt.Errorf("register: %w", err)
	}
	if err := refusal(res.StatusCode, raw); err != nil {
		return answer, err
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return answer, fmt.Errorf("register: read answer: %w", err)
	}
	if answer.ServerID == "" {
		return answer, errors.New("register: the answer names no server")
	}
	return answer, nil
}

// refusal is nil for an answer that grants; a *RefusedError for one that will never change.
func refusal(status int, raw []byte) error {
	if status == http.StatusCreated || status == http.StatusOK {
		return nil
	}
	var problem struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal(raw, &problem) // the status says enough
	final := status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
	if final {
		return &RefusedError{Status: status, Text: strings.TrimSpace(problem.Title + " " + problem.Detail)}
	}
	return fmt.Errorf("register: the hub answered %d", status)
}
