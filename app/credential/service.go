package credential

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/server"
)

// askWait is how long a server is waited for.
const askWait = 5 * time.Second

// People prove who they are; account.Service has them.
type People interface {
	// Prove asks the person who is signed in for the password anew.
	Prove(ctx context.Context, of account.CustomerID, id account.UserID, email, password string) error
}

// Record keeps what people did; db.Trail has it.
type Record interface {
	Add(ctx context.Context, e audit.Entry) error
}

// Service is what pages do with secrets. Every method reaches the customer's own server and no other.
type Service struct {
	Peer   server.Peer
	People People
	Links  Links
	Record Record
	Now    func() time.Time
}

// List gives names and metadata of every secret, by name.
func (s *Service) List(ctx context.Context, of account.CustomerID) (wire.SecretsResult, error) {
	return server.Ask[wire.SecretsResult](ctx, s.Peer, of, wire.MethodSecretsList, struct{}{}, askWait)
}

// Asked gives the calls that wait for somebody to give a value.
func (s *Service) Asked(ctx context.Context, of account.CustomerID) (wire.SecretRequestsResult, error) {
	return server.Ask[wire.SecretRequestsResult](ctx, s.Peer, of, wire.MethodSecretsAsked, struct{}{}, askWait)
}

// Audit gives one page of who touched what, newest first.
func (s *Service) Audit(ctx context.Context, of account.CustomerID, p wire.SecretAuditParams) (wire.SecretAuditResult, error) {
	return server.Ask[wire.SecretAuditResult](ctx, s.Peer, of, wire.MethodSecretsAudit, p, askWait)
}

// Open begins a sealed act: the server's key and a nonce that is good for this act alone, for a minute.
func (s *Service) Open(ctx context.Context, of account.CustomerID, p wire.SecretOpenParams) (wire.SecretOpening, error) {
	return server.Ask[wire.SecretOpening](ctx, s.Peer, of, wire.MethodSecretsOpen, p, askWait)
}

// Provide carries a sealed value to the vault, and to the call that waits for it.
func (s *Service) Provide(ctx context.Context, of account.CustomerID, p wire.SecretProvide) (wire.SecretInfo, error) {
	return act[wire.SecretInfo](ctx, s, of, deed{wire.MethodSecretsProvide, p.By}, p)
}

// Decline answers a call that waits with no.
func (s *Service) Decline(ctx context.Context, of account.CustomerID, p wire.SecretDecline) (wire.SecretRequest, error) {
	return act[wire.SecretRequest](ctx, s, of, deed{wire.MethodSecretsDecline, p.By}, p)
}

// Generate lets the server make a value that nobody sees.
func (s *Service) Generate(ctx context.Context, of account.CustomerID, p wire.SecretGenerate) (wire.SecretInfo, error) {
	return act[wire.SecretInfo](ctx, s, of, deed{wire.MethodSecretsGenerate, p.By}, p)
}

// Rotate replaces a value: by a sealed one, or by one that the server makes.
func (s *Service) Rotate(ctx context.Context, of account.CustomerID, p wire.SecretRotate) (wire.SecretInfo, error) {
	return act[wire.SecretInfo](ctx, s, of, deed{wire.MethodSecretsRotate, p.By}, p)
}

// Rollback makes a former value the current one again.
func (s *Service) Rollback(ctx context.Context, of account.CustomerID, p wire.SecretRollback) (wire.SecretInfo, error) {
	return act[wire.SecretInfo](ctx, s, of, deed{wire.MethodSecretsRollback, p.By}, p)
}

// Bind says where a value may be used. The server checks the signature.
func (s *Service) Bind(ctx context.Context, of account.CustomerID, p wire.SecretBind) (wire.SecretInfo, error) {
	return act[wire.SecretInfo](ctx, s, of, deed{wire.MethodSecretsBind, p.By}, p)
}

// Delete takes a value out of use for good. The server checks the signature.
func (s *Service) Delete(ctx context.Context, of account.CustomerID, p wire.SecretDelete) error {
	_, err := act[wire.SecretDeleted](ctx, s, of, deed{wire.MethodSecretsDelete, p.By}, p)
	return err
}

// Reveal fetches a value, sealed to the key of the browser that asks. The person's password is asked anew each time, and
// the server checks the signature besides.
func (s *Service) Reveal(ctx context.Context, of account.CustomerID, p wire.SecretReveal, password string) (wire.SecretRevealed, error) {
	if err := s.People.Prove(ctx, of, account.UserID(p.By.UserID), p.By.Name, password); err != nil {
		return wire.SecretRevealed{}, err
	}
	return act[wire.SecretRevealed](ctx, s, of, deed{wire.MethodSecretsReveal, p.By}, p)
}

// deed is what goes on record at the hub, where staff read it: what was done and by whom, never the secret's name or value.
type deed struct {
	method wire.Method
	by     wire.DecidedBy
}

// act asks for something that changes or shows a secret, and keeps that it was done. Which secret it was stands in
// the server's own record alone.
func act[T any](ctx context.Context, s *Service, of account.CustomerID, d deed, params any) (T, error) {
	got, err := server.Ask[T](ctx, s.Peer, of, d.method, params, askWait)
	if err != nil {
		return got, err
	}
	err = s.Record.Add(ctx, audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: s.Now().UTC(),
		By:         audit.Actor{Kind: audit.User, ID: d.by.UserID, Name: d.by.Name, Address: d.by.Address},
		CustomerID: string(of), Action: string(d.method),
	})
	if err != nil {
		return got, fmt.Errorf("%s: record: %w", d.method, err)
	}
	return got, nil
}
