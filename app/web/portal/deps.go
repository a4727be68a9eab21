package portal

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/chat"
	"gatehouse/app/credential"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/team"
	"gatehouse/app/web/inbox"
)

// Chat carries conversations and what is read from the customer's server; chat.Service does.
type Chat interface {
	Send(ctx context.Context, of account.CustomerID, from wire.Origin, m chat.Message) (chat.Sent, error)
	Cancel(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (chat.Canceled, error)
	Events(ctx context.Context, of account.CustomerID, runID string, from int64) (*chat.Stream, error)
	Sessions(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.SessionsResult, error)
	Session(ctx context.Context, of account.CustomerID, p wire.SessionParams) (wire.Session, error)
	Runs(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.RunsResult, error)
	Run(ctx context.Context, of account.CustomerID, runID string) (wire.Run, error)
	Receipts(ctx context.Context, of account.CustomerID, runID string) (wire.ReceiptsResult, error)
	Change(ctx context.Context, of account.CustomerID, callID string) (wire.Change, error)
	Approval(ctx context.Context, of account.CustomerID, id string) (wire.Approval, error)
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
	Flagged(ctx context.Context, of account.CustomerID, p wire.FlaggedParams) (wire.FlaggedResult, error)
}

// Inbox is what waits for the customer; approval.Service has it.
type Inbox interface {
	inbox.Store
	Pending(ctx context.Context, of account.CustomerID) (int, error)
}

// Servers knows the customer's server; server.Service does.
type Servers interface {
	Of(ctx context.Context, of account.CustomerID) (server.Server, error)
}

// Team holds the settings of the team; team.Service does.
type Team interface {
	State(ctx context.Context, of account.CustomerID) (team.State, error)
	Change(ctx context.Context, of account.CustomerID, who wire.Origin, edit team.Edit) (wire.Config, error)
}

// Live tells what changes while a page is open; relay.Relay does.
type Live interface {
	Subscribe(ctx context.Context, customerID string) (*relay.Subscription, error)
	// Linked says whether the server can be asked now.
	Linked(ctx context.Context, serverID string) bool
}

// Tokens gives out and ends API tokens; account.Tokens does.
type Tokens interface {
	List(ctx context.Context, of account.CustomerID) ([]account.Token, error)
	IssueToUser(ctx context.Context, u account.User, name string, life time.Duration, by audit.Actor) (string, account.Token, error)
	Revoke(ctx context.Context, of account.CustomerID, id string, by audit.Actor) error
}

// People are the accounts of the customer; account.Service has them.
type People interface {
	inbox.People
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
	SetTimeZone(ctx context.Context, of account.CustomerID, zone string, by audit.Actor) error
}

// Keys are the approver keys of the customer's server; approver.Service asks it about them.
type Keys interface {
	Of(ctx context.Context, of account.CustomerID) (approver.Ring, error)
	// Asking reads the keys, and the devices that wait to have one added.
	Asking(ctx context.Context, of account.CustomerID) (approver.Ring, []approver.Request, error)
	Ask(ctx context.Context, of account.CustomerID, r approver.Request) (approver.Request, error)
	Vouch(ctx context.Context, of account.CustomerID, keyID string, version int64, sig *wire.Signature, by wire.DecidedBy) error
	Refuse(ctx context.Context, of account.CustomerID, keyID string) error
	Enrol(ctx context.Context, of account.CustomerID, e wire.Enrolment) (wire.Enrolled, error)
	Revoke(ctx context.Context, of account.CustomerID, r wire.Revocation) (wire.ApproverState, error)
	// Used says when keys of our staff allowed something last, by key.
	Used(ctx context.Context, of account.CustomerID) (map[string]time.Time, error)
}

// Credentials is what people do with the secrets of their server; credential.Service does.
type Credentials interface {
	List(ctx context.Context, of account.CustomerID) (wire.SecretsResult, error)
	Asked(ctx context.Context, of account.CustomerID) (wire.SecretRequestsResult, error)
	Audit(ctx context.Context, of account.CustomerID, p wire.SecretAuditParams) (wire.SecretAuditResult, error)
	Open(ctx context.Context, of account.CustomerID, p wire.SecretOpenParams) (wire.SecretOpening, error)
	Provide(ctx context.Context, of account.CustomerID, p wire.SecretProvide) (wire.SecretInfo, error)
	Decline(ctx context.Context, of account.CustomerID, p wire.SecretDecline) (wire.SecretRequest, error)
	Generate(ctx context.Context, of account.CustomerID, p wire.SecretGenerate) (wire.SecretInfo, error)
	Rotate(ctx context.Context, of account.CustomerID, p wire.SecretRotate) (wire.SecretInfo, error)
	Rollback(ctx context.Context, of account.CustomerID, p wire.SecretRollback) (wire.SecretInfo, error)
	Bind(ctx context.Context, of account.CustomerID, p wire.SecretBind) (wire.SecretInfo, error)
	Reveal(ctx context.Context, of account.CustomerID, p wire.SecretReveal, password string) (wire.SecretRevealed, error)
	Share(ctx context.Context, of account.CustomerID, l credential.Link, take string) (credential.Link, error)
}

// Permissions is what people do with the rules of their team; permission.Service does.
type Permissions interface {
	Get(ctx context.Context, of account.CustomerID) (wire.Permissions, error)
	Preview(ctx context.Context, of account.CustomerID, p wire.PermissionsTry) (wire.PermissionsPreview, error)
	Set(ctx context.Context, of account.CustomerID, p wire.PermissionsSet) (wire.Permissions, error)
	Windows(ctx context.Context, of account.CustomerID) (wire.WindowsResult, error)
	Close(ctx context.Context, of account.CustomerID, p wire.WindowClose) (wire.WindowsResult, error)
	Inside(ctx context.Context, of account.CustomerID) (wire.InsideResult, error)
	Limits(ctx context.Context, of account.CustomerID) (wire.LimitsResult, error)
	Guardian(ctx context.Context, of account.CustomerID) (wire.GuardianState, error)
}

// Deps are the parts that the portal works with.
type Deps struct {
	Chat        Chat
	Inbox       Inbox
	Keys        Keys
	Servers     Servers
	Team        Team
	Credentials Credentials
	Permissions Permissions
	Live        Live
	Tokens      Tokens
	People      People
	Now         func() time.Time
	Log         *slog.Logger
}
